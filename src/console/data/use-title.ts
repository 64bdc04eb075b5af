import { useEffect } from 'preact/hooks';
import { snippet } from '../../report/visible-text.ts';

/** Names the tab after what it shows. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Assay'].map((part) => snippet(part, 80)).join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
