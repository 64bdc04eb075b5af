import { appendFile, open, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { StorageError } from '../../core/errors.ts';
import { readLines } from '../../core/jsonl.ts';
import { type BaselinePin, BaselinePinSchema } from '../../core/schemas/baseline-pin.ts';
import { RUN_ID_PATTERN } from '../../core/schemas/run.ts';
import { isSystemError, openForReading } from './file-run-store.ts';
import { makeFolder } from './make-folder.ts';

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

  /** A run that is finished again (resumed) with another end gets a further line, which counts from then on. Throws StorageError. */
  async add(entry: RunIndexEntry): Promise<void> {
    const known = (await this.readEntries()).get(entry.run_id);
    if (known !== undefined && isDeepStrictEqual(known, RunIndexEntrySchema.parse(entry))) return;
    await appendLine(this.path, entry);
  }

  /**
   * Each run once, the latest started last. Lines that are not entries (cut off, edited) are passed over: the runs
   * themselves are the truth, and a finished one that the index has lost gets its line again.
   */
  async list(evalName: string): Promise<readonly RunIndexEntry[]> {
    const entries = await this.readEntries();
    for (const runId of await this.folders()) {
      if (entries.has(runId)) continue;
      const entry = await this.readFinished(runId);
      if (entry === undefined) continue;
      entries.set(runId, entry);
      // What was asked is known; where the folder cannot be written, the next one looks again.
      await appendLine(this.path, entry).catch(() => undefined);
    }
    const ofEval = [...entries.values()].filter((entry) => entry.eval === evalName);
    // Run ids start with the time, so their order is that of the starts.
    return ofEval.sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  }

  /**
   * Runs that passed and are not quarantined, the latest first. `before`: only runs started before this one; `ref`: only
   * runs of the same branch. Their folders may be gone.
   */
  async passes(
    evalName: string,
    { before, ref }: { before?: string | undefined; ref?: string | null } = {},
  ): Promise<readonly RunIndexEntry[]> {
    const entries = await this.list(evalName);
    const passed = entries.filter(
      (entry) =>
        entry.gate === 'pass' &&
        !entry.quarantined &&
        (before === undefined || entry.run_id < before) &&
        (ref === undefined || branchOf(entry.ref) === branchOf(ref)),
    );
    return passed.reverse();
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

  private async readEntries(): Promise<Map<string, RunIndexEntry>> {
    const entries = new Map<string, RunIndexEntry>();
    const chunks = await openForReading(this.path);
    if (chunks === null) return entries;
    for await (const line of readLines(chunks)) {
      const entry = parseEntry(line);
      if (entry !== undefined) entries.set(entry.run_id, entry);
    }
    return entries;
  }

  private async folders(): Promise<readonly string[]> {
    try {
      return (await readdir(dirname(this.path))).filter((name) => RUN_ID_PATTERN.test(name)).sort();
    } catch (error) {
      if (isSystemError(error) && error.code === 'ENOENT') return [];
      throw new StorageError(`cannot read ${dirname(this.path)}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** A summary has all that an entry has. Undefined: the run did not finish, or nobody can tell any more how it ended. */
  private async readFinished(runId: string): Promise<RunIndexEntry | undefined> {
    try {
      const entry = parseEntry(await readFile(join(dirname(this.path), runId, 'summary.json'), 'utf8'));
      return entry?.run_id === runId ? entry : undefined;
    } catch {
      return undefined;
    }
  }
}

async function appendLine(path: string, value: unknown): Promise<void> {
  try {
    await makeFolder(dirname(path));
    // A line that was cut off stays a line of its own: it must not swallow this one.
    const start = (await endsInLine(path)) ? '\n' : '';
    await appendFile(path, `${start}${JSON.stringify(value)}\n`);
  } catch (error) {
    throw new StorageError(`cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Whether the last line of a file has no end. */
async function endsInLine(path: string): Promise<boolean> {
  const file = await open(path, 'a+');
  try {
    const { size } = await file.stat();
    if (size === 0) return false;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer.toString() !== '\n';
  } finally {
    await file.close();
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
