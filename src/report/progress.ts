import type { Clock } from '../ports/clock.ts';
import { formatCount, formatMs, formatPercent } from './format.ts';

export interface ProgressOptions {
  /** Results to expect, as far as known. */
  readonly total: number;
  /** Results that an earlier attempt of this run left; the rate does not count them. @default 0 */
  readonly alreadyDone?: number;
  readonly stream: { write(text: string): unknown };
  /** One line drawn over and over; else a plain line now and then. */
  readonly isTty: boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

export interface Progress {
  /** Counts so far, not steps. May be called after every row: it draws only when there is something to see. */
  update(done: number, failed: number, errors: number, throttled?: number): void;
  /** Another number of results to expect, where it becomes known bit by bit. */
  expect(total: number): void;
  /** Draws the last state and leaves the cursor on a fresh line. Later calls do nothing. */
  finish(): void;
}

const REDRAW_MS = 100;
/** Plain lines stay in a CI log: one for each tenth of the work, but none within 5 s of the last, and one in 30 s at least. */
const PLAIN_LINE_SHARE = 0.1;
const PLAIN_LINE_MIN_MS = 5_000;
const PLAIN_LINE_MAX_MS = 30_000;
const BAR_CELLS = 24;

/** How a run is getting on, with rate and time left. */
export function createProgress({ total: expected, alreadyDone = 0, stream, isTty, clock }: ProgressOptions): Progress {
  const startedMs = clock.monotonicMs();
  let total = expected;
  let state = { done: alreadyDone, failed: 0, errors: 0, throttled: 0 };
  let drawn: { done: number; atMs: number } | undefined;
  let finished = false;

  const draw = (nowMs: number) => {
    const line = words({ ...state, ran: state.done - alreadyDone }, total, nowMs - startedMs);
    stream.write(isTty ? `\r${bar(state.done, total)} ${line}\u001b[K` : `${line}\n`);
    drawn = { done: state.done, atMs: nowMs };
  };
  const isDue = (nowMs: number) => {
    if (isTty) return drawn === undefined || nowMs - drawn.atMs >= REDRAW_MS || state.done >= total;
    const last = drawn ?? { done: alreadyDone, atMs: startedMs };
    const sinceMs = nowMs - last.atMs;
    if (sinceMs < PLAIN_LINE_MIN_MS) return false;
    return sinceMs >= PLAIN_LINE_MAX_MS || state.done - last.done >= total * PLAIN_LINE_SHARE;
  };

  return {
    update(done, failed, errors, throttled = 0) {
      if (finished) return;
      state = { done, failed, errors, throttled };
      const nowMs = clock.monotonicMs();
      if (isDue(nowMs)) draw(nowMs);
    },
    expect(results) {
      total = results;
    },
    finish() {
      if (finished) return;
      finished = true;
      if (isTty || drawn?.done !== state.done) draw(clock.monotonicMs());
      if (isTty) stream.write('\n');
    },
  };
}

interface Counts {
  readonly done: number;
  /** Of those, in this attempt. */
  readonly ran: number;
  readonly failed: number;
  readonly errors: number;
  /** Results that waited because the other side throttled. */
  readonly throttled: number;
}

function words({ done, ran, failed, errors, throttled }: Counts, total: number, elapsedMs: number): string {
  const share = total > 0 ? ` (${formatPercent(Math.floor((done * 100) / total) / 100)})` : '';
  const parts = [`${formatCount(done)}/${formatCount(total)}${share}`];
  if (failed > 0) parts.push(`${formatCount(failed)} failed`);
  if (errors > 0) parts.push(`${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`);
  if (throttled > 0) parts.push(`${formatCount(throttled)} throttled`);
  const perSecond = elapsedMs > 0 ? (ran / elapsedMs) * 1000 : 0;
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
