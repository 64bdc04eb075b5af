const FIRST_MS = 1_000;
const FACTOR = 1.6;
const LONGEST_MS = 20_000;

/** How long to wait before looking again, when nothing had changed `quiet` times in a row: from 1 s to 20 s. */
export function pollDelayMs(quiet: number): number {
  return Math.min(LONGEST_MS, Math.round(FIRST_MS * FACTOR ** Math.max(0, quiet)));
}
