import type { ComponentChildren } from 'preact';
import type { Run } from '../api/types.ts';
import { type Tone, toneOf } from './words.ts';

const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', warn: '!', live: '', still: '–' };
const WORDS: Readonly<Record<Run['status'], string>> = {
  queued: 'queued',
  running: 'running',
  passed: 'passed',
  failed: 'failed',
  error: 'error',
  cancelled: 'cancelled',
};

/** Colour, sign and word say the same. */
export function StatusBadge({
  status,
  isQuarantined = false,
}: {
  readonly status: Run['status'];
  readonly isQuarantined?: boolean;
}) {
  return (
    <span class="badges">
      <Badge tone={toneOf(status)}>{WORDS[status]}</Badge>
      {isQuarantined && <span class="chip">quarantined</span>}
    </span>
  );
}

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[tone]}
      </span>
      {children}
    </span>
  );
}
