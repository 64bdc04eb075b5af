import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { readLines } from '../../core/jsonl.ts';
import { openForReading } from './file-run-store.ts';

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

  async add(entry: RunIndexEntry): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    await appendFile(this.path, `${JSON.stringify(entry)}\n`);
  }

  /** Newest last. Lines that are not entries (cut off, edited) are passed over: the runs themselves are the truth. */
  async list(evalName: string): Promise<readonly RunIndexEntry[]> {
    const chunks = await openForReading(this.path);
    if (chunks === null) return [];
    const entries: RunIndexEntry[] = [];
    for await (const line of readLines(chunks)) {
      const entry = parseEntry(line);
      if (entry?.eval === evalName) entries.push(entry);
    }
    return entries;
  }

  /** The newest run that passed and is not quarantined, or undefined. */
  async lastPass(evalName: string): Promise<RunIndexEntry | undefined> {
    const entries = await this.list(evalName);
    return entries.findLast((entry) => entry.gate === 'pass' && !entry.quarantined);
  }
}

function parseEntry(line: string): RunIndexEntry | undefined {
  try {
    return RunIndexEntrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
