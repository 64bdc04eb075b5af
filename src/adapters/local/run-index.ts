import { appendFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { StorageError } from '../../core/errors.ts';
import { readLines } from '../../core/jsonl.ts';
import { type BaselinePin, BaselinePinSchema } from '../../core/schemas/baseline-pin.ts';
import { makeFolder, openForReading } from './file-run-store.ts';

const RunIndexEntrySchema = z.object({
  run_id: z.string(),
  eval: z.string(),
  gate: z.enum(['pass', 'fail', 'error']),
  quarantined: z.boolean(),
  ref: z.string().nullable(),
  score: z.number().nullable(),
  started_at: z.string(),
});
export type RunIndexEntry = z.infer<typeof RunIndexEntrySchema>;

/** Finished runs of this folder, a line each, so that `last-pass` is found without opening every run. */
export class RunIndex {
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** A run that is finished again (resumed) gets a further line, which counts from then on. Throws StorageError. */
  async add(entry: RunIndexEntry): Promise<void> {
    await appendLine(this.path, entry);
  }

  /**
   * Each run once, the latest started last. Lines that are not entries (cut off, edited) are passed over: the runs
   * themselves are the truth.
   */
  async list(evalName: string): Promise<readonly RunIndexEntry[]> {
    const chunks = await openForReading(this.path);
    if (chunks === null) return [];
    const entries = new Map<string, RunIndexEntry>();
    for await (const line of readLines(chunks)) {
      const entry = parseEntry(line);
      if (entry?.eval === evalName) entries.set(entry.run_id, entry);
    }
    // Run ids start with the time, so their order is that of the starts.
    return [...entries.values()].sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  }

  /**
   * The latest run that passed and is not quarantined, or undefined. `before`: only runs started before this one; `ref`:
   * only runs of the same branch.
   */
  async lastPass(
    evalName: string,
    { before, ref }: { before?: string | undefined; ref?: string | null } = {},
  ): Promise<RunIndexEntry | undefined> {
    const entries = await this.list(evalName);
    return entries.findLast(
      (entry) =>
        entry.gate === 'pass' &&
        !entry.quarantined &&
        (before === undefined || entry.run_id < before) &&
        (ref === undefined || branchOf(entry.ref) === branchOf(ref)),
    );
  }

  /** Adds the record of a promotion, beside the index. Throws StorageError. */
  async promote(pin: BaselinePin): Promise<void> {
    await appendLine(join(dirname(this.path), 'baselines.jsonl'), pin);
  }

  /** Promotions of an eval, the newest first: the first one holds. */
  async promotions(evalName: string): Promise<readonly BaselinePin[]> {
    const chunks = await openForReading(join(dirname(this.path), 'baselines.jsonl'));
    const pins: BaselinePin[] = [];
    if (chunks === null) return pins;
    for await (const line of readLines(chunks)) {
      const pin = parsePin(line);
      if (pin?.eval === evalName) pins.unshift(pin);
    }
    return pins;
  }
}

async function appendLine(path: string, value: unknown): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await appendFile(path, `${JSON.stringify(value)}\n`);
  } catch (error) {
    throw new StorageError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

const branchOf = (ref: string | null): string | null => ref?.replace(/^refs\/heads\//, '') ?? null;

function parsePin(line: string): BaselinePin | undefined {
  try {
    return BaselinePinSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function parseEntry(line: string): RunIndexEntry | undefined {
  try {
    return RunIndexEntrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
