import type { Clock } from '../ports/clock.ts';
import { formatCount, formatMs, formatPercent } from './format.ts';

export interface ProgressOptions {
  /** Results to expect. */
  readonly total: number;
  readonly stream: { write(text: string): unknown };
  /** One line drawn over and over; else a plain line now and then. */
  readonly isTty: boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export interface Progress {
  /** Counts so far, not steps. May be called after every row: it draws only when there is something to see. */
  update(done: number, failed: number, errors: number): void;
  /** Draws the last state and leaves the cursor on a fresh line. Later calls do nothing. */
  finish(): void;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 10_000;
const PLAIN_LINE_SHARE = 0.1;
const BAR_CELLS = 24;

/** How a run is getting on, with rate and time left. */
export function createProgress({ total, stream, isTty, clock }: ProgressOptions): Progress {
  const startedMs = clock.monotonicMs();
  let state = { done: 0, failed: 0, errors: 0 };
  let drawn: { done: number; atMs: number } | undefined;
  let finished = false;

  const draw = (nowMs: number) => {
    const line = words(state, total, nowMs - startedMs);
    stream.write(isTty ? `\r${bar(state.done, total)} ${line}\u001b[K` : `${line}\n`);
    drawn = { done: state.done, atMs: nowMs };
  };
  const isDue = (nowMs: number) => {
    if (isTty) return drawn === undefined || nowMs - drawn.atMs >= REDRAW_MS || state.done >= total;
    const last = drawn ?? { done: 0, atMs: startedMs };
    return nowMs - last.atMs >= PLAIN_LINE_MS || state.done - last.done >= total * PLAIN_LINE_SHARE;
  };

  return {
    update(done, failed, errors) {
      if (finished) return;
      state = { done, failed, errors };
      const nowMs = clock.monotonicMs();
      if (isDue(nowMs)) draw(nowMs);
    },
    finish() {
      if (finished) return;
      finished = true;
      if (isTty || drawn?.done !== state.done) draw(clock.monotonicMs());
      if (isTty) stream.write('\n');
    },
  };
}

function words(state: { done: number; failed: number; errors: number }, total: number, elapsedMs: number): string {
  const { done, failed, errors } = state;
  const share = total > 0 ? ` (${formatPercent(Math.floor((done / total) * 100) / 100)})` : '';
  const parts = [`${formatCount(done)}/${formatCount(total)}${share}`];
  if (failed > 0) parts.push(`${formatCount(failed)} failed`);
  if (errors > 0) parts.push(`${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`);
  const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0;
  if (perSecond > 0) parts.push(`${perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond))} rows/s`);
  if (perSecond > 0 && done < total) {
    const leftSeconds = Math.ceil((total - done) / perSecond);
    parts.push(`${formatMs(Math.max(1, leftSeconds) * 1000)} left`);
  }
  return parts.join(' · ');
}

function bar(done: number, total: number): string {
  const filled = total > 0 ? Math.min(BAR_CELLS, Math.floor((done / total) * BAR_CELLS)) : 0;
  return '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
}
