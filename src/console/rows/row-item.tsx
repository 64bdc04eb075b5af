import { useEffect, useId, useRef } from 'preact/hooks';
import { formatScore } from '../../report/format.ts';
import type { Run } from '../api/types.ts';
import { Badge } from '../parts/badge.tsx';
import { Snippet, Words } from '../parts/text.tsx';
import { type RowGroup, valueText } from './filter-rows.ts';
import { resultTone, resultWords, worstOf } from './result-words.ts';
import { RowDetail } from './row-detail.tsx';

/** One row in the list; opened, everything that is known of it. */
export function RowItem({
  run,
  group,
  isOpen,
  toggle,
}: {
  readonly run: Run;
  readonly group: RowGroup;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}) {
  const panel = useId();
  const item = useRef<HTMLLIElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // Come to by its address, not by a click on it.
    if (isOpen && wasOpen.current) item.current?.scrollIntoView({ block: 'nearest' });
    wasOpen.current = false;
  }, [isOpen]);
  const worst = worstOf(group.results);
  return (
    <li ref={item} class={isOpen ? 'open' : ''}>
      <button
        type="button"
        class="row-button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        onClick={toggle}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isOpen) toggle();
        }}
      >
        {worst !== undefined && <Badge tone={resultTone(worst)}>{resultWords(worst)}</Badge>}
        <span class="row-id">
          <Words value={group.rowId} />
        </span>
        <span class="row-ask">
          {worst !== undefined && <Snippet value={valueText(worst.input)} />}
          {worst !== undefined && <Why group={group} />}
        </span>
        <span class="row-score num">{worst === undefined ? '' : scoreWords(group)}</span>
      </button>
      {isOpen && (
        <div id={panel} class="row-panel">
          <RowDetail run={run} rowId={group.rowId} index={group.index} />
        </div>
      )}
    </li>
  );
}

/** The one line that tells why it did not pass. */
function Why({ group }: { readonly group: RowGroup }) {
  const worst = worstOf(group.results);
  if (worst === undefined || worst.passed) return null;
  const text = worst.error ?? weakestReason(worst.details) ?? worst.failed_checks[0] ?? worst.cause ?? '';
  return text === '' ? null : (
    <span class="why">
      <Snippet value={text} limit={160} />
    </span>
  );
}

/** Of a score that is made of others, what is wrong stands with those. */
function weakestReason(scores: RowGroup['results'][number]['details']): string | null {
  const valued = Object.entries(scores).filter(([, { value }]) => value !== null);
  const parts = valued.filter(([, { value, in_row_score }]) => !in_row_score && (value ?? 1) < 1);
  const [weakest] = (parts.length > 0 ? parts : valued).sort(([, a], [, b]) => (a.value ?? 0) - (b.value ?? 0));
  return weakest === undefined ? null : `${weakest[0]}: ${weakest[1].reason}`;
}

function scoreWords({ results }: RowGroup): string {
  const scores = results.flatMap(({ score }) => (score === null ? [] : [score]));
  if (scores.length === 0) return '–';
  return formatScore(scores.reduce((sum, score) => sum + score, 0) / scores.length);
}
