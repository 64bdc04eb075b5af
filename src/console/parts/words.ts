import type { Run, TrendPoint } from '../api/types.ts';

type Status = Run['status'];
/** Colour and sign of a status: what a gate makes of it. */
export type Tone = 'good' | 'bad' | 'warn' | 'live' | 'still';

const TONES: Readonly<Record<Status, Tone>> = {
  queued: 'live',
  running: 'live',
  passed: 'good',
  failed: 'bad',
  error: 'warn',
  cancelled: 'still',
};

export function toneOf(status: Status): Tone {
  return TONES[status];
}

export function isOpen(status: Status): boolean {
  return status === 'queued' || status === 'running';
}

/** `just now`, `3 min ago`, `2 h ago`, `5 d ago`; a date when it is longer ago than a month. Not a time: as it is. */
export function agoWords(iso: string, nowMs: number): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return iso;
  const minutes = Math.floor(Math.max(0, nowMs - then) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / (24 * 60));
  return days <= 31 ? `${days} d ago` : new Date(then).toISOString().slice(0, 10);
}

/** `main · 4f2a9c1`: where the code was that was tested; empty when nobody said. */
export function commitWords({ ref, sha }: Pick<TrendPoint, 'ref' | 'sha'>): string {
  const branch = ref?.replace(/^refs\/(heads|tags)\//, '') ?? '';
  return [branch, sha?.slice(0, 7) ?? ''].filter((part) => part !== '').join(' · ');
}

/** How long a run took, or takes so far, in ms; null when its times cannot be read. */
export function tookMs(
  { started_at, finished_at }: Pick<TrendPoint, 'started_at' | 'finished_at'>,
  nowMs: number,
): number | null {
  const end = finished_at === null ? nowMs : Date.parse(finished_at);
  const took = end - Date.parse(started_at);
  return Number.isFinite(took) && took >= 0 ? took : null;
}

/** The share of a run that is done, 0..1; null while its rows are not counted. */
export function shareDone({ done, total }: Run['progress']): number | null {
  if (total === null || total <= 0) return null;
  return Math.min(1, Math.max(0, done / total));
}
