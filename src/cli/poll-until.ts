export interface Patience {
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** After this long `late` is thrown. */
  readonly deadlineMs: number;
  late(): Error;
}

/** Asks after growing waits until there is an answer; null: not yet. */
export async function pollUntil<T>(ask: () => Promise<T | null>, patience: Patience): Promise<T> {
  const endsAt = Date.now() + patience.deadlineMs;
  for (let waitMs = patience.firstWaitMs; ; waitMs = Math.min(patience.longestWaitMs, waitMs * 1.5)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const answer = await ask();
    if (answer !== null) return answer;
    if (Date.now() > endsAt) throw patience.late();
  }
}
