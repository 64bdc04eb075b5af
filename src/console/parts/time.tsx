import { formatTime } from '../../report/format.ts';
import { useNow } from '../data/use-now.ts';
import { agoWords } from './words.ts';

/** How long ago; the exact time where one points at it. */
export function Ago({ iso }: { readonly iso: string }) {
  const now = useNow();
  return (
    <time dateTime={iso} title={formatTime(iso)}>
      {agoWords(iso, now)}
    </time>
  );
}
