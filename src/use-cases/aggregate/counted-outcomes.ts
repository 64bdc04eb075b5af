import { StorageError } from '../../core/errors.ts';
import type { ByteChunks } from '../../ports/run-store.ts';

const LINE_FEED = 0x0a;

/**
 * Lines of a baseline's `outcomes.jsonl`, passed through. Throws StorageError at their end when there are fewer than the
 * rows of that run: what is missing could not regress, and nobody would know.
 */
export async function* countedOutcomes(
  outcomes: ByteChunks,
  rows: number,
  { path, fix }: { readonly path: string; readonly fix: string },
): AsyncGenerator<Uint8Array> {
  let lines = 0;
  for await (const chunk of outcomes) {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
    yield chunk;
  }
  if (lines < rows) {
    throw new StorageError(`the baseline is damaged: ${path} holds ${lines} of ${rows} outcomes; ${fix}`);
  }
}
