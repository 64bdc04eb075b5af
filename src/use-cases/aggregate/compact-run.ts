import { StorageError } from '../../core/errors.ts';
import { readLines } from '../../core/jsonl.ts';
import type { Compaction, CompactRequest } from '../../core/schemas/compaction.ts';
import type { RunRecord } from '../../core/schemas/registry.ts';
import type { CompactedResults, StagedFile } from '../../ports/compacted-results.ts';
import type { RunRef } from '../../ports/result-parts.ts';
import { type DeployedPorts, FINAL_STATUSES, isFinal, loadRun } from '../deployed.ts';

/** A file in the making. */
export interface ColumnarFile {
  readonly rows: number;
  readonly encodedBytes: number;
  /** Throws where the line does not fit the table. */
  add(line: string): void;
  finish(): Uint8Array;
}

export interface CompactRunPorts extends Pick<DeployedPorts, 'registry' | 'clock'> {
  readonly compacted: CompactedResults;
  openFile(): ColumnarFile;
  /** Milliseconds this invocation has left. */
  remainingMs(): number;
  /** Goes on in an invocation of its own. */
  goOn(request: CompactRequest): Promise<void>;
}

export type CompactReport =
  | { readonly status: 'done'; readonly compaction: Compaction }
  | { readonly status: 'goes on'; readonly rows: number }
  | { readonly status: 'not finished' };

/** Queries read files of 8 to 128 MB best; a file ends with the part that takes it past this. */
const FILE_BYTES = 48 * 1024 * 1024;
/** To encode the last row group and store the file. */
const WRAP_UP_MS = 90_000;

/**
 * Result parts of a finished run → a few Parquet files, line for line. An invocation that runs out of time, or breaks,
 * is followed by one that starts after what is staged.
 */
export async function compactRun(request: CompactRequest, ports: CompactRunPorts): Promise<CompactReport> {
  const { run } = await loadRun(request.run_id, ports);
  if (!isFinal(run)) return { status: 'not finished' };
  const ref = { runId: run.run_id, project: run.project, startedAt: run.started_at };
  const files = chainOf(await ports.compacted.staged(ref));
  const isWhole = await stageRest(ref, files, ports);
  if (!isWhole) {
    await ports.goOn(request);
    return { status: 'goes on', rows: rowsOf(files) };
  }
  await ports.compacted.publish(ref, files);
  return { status: 'done', compaction: await record(run, files, ports) };
}

/** Adds to `files` what comes after them. True: all parts are staged. False: time ran out before. */
async function stageRest(ref: RunRef, files: StagedFile[], ports: CompactRunPorts): Promise<boolean> {
  const { compacted } = ports;
  const after = files.at(-1)?.toPart ?? -1;
  let file = ports.openFile();
  let fromPart = after + 1;
  let toPart = after;
  const stage = async () => {
    // Parts without a line are no file of their own: the next one begins before them.
    if (file.rows === 0) return;
    const bytes = file.finish();
    const staged = { fromPart, toPart, rows: file.rows };
    await compacted.stage(ref, staged, bytes);
    files.push({ ...staged, bytes: bytes.byteLength });
    file = ports.openFile();
    fromPart = toPart + 1;
  };
  for await (const { part, lines } of compacted.parts(ref, after)) {
    await addPart(file, part, lines);
    toPart = part;
    if (file.encodedBytes >= FILE_BYTES) await stage();
    if (ports.remainingMs() < WRAP_UP_MS) {
      await stage();
      return false;
    }
  }
  await stage();
  return true;
}

async function addPart(file: ColumnarFile, part: number, lines: AsyncIterable<Uint8Array>): Promise<void> {
  let number = 0;
  for await (const line of readLines(lines)) {
    number += 1;
    try {
      file.add(line);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new StorageError(`line ${number} of part ${part} does not fit the table: ${why}`, { cause: error });
    }
  }
}

/** Files that follow each other from the first row on; what an attempt side by side staged of the same rows is left. */
function chainOf(staged: readonly StagedFile[]): StagedFile[] {
  const chain: StagedFile[] = [];
  for (let next = 0; ; ) {
    const file = staged.find(({ fromPart }) => fromPart === next);
    if (file === undefined) return chain;
    chain.push(file);
    next = file.toPart + 1;
  }
}

async function record(run: RunRecord, files: readonly StagedFile[], ports: CompactRunPorts): Promise<Compaction> {
  const compaction: Compaction = {
    attempt: run.attempt,
    files: files.length,
    rows: rowsOf(files),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    finished_at: new Date(ports.clock.now()).toISOString(),
  };
  await ports.registry.updateRun(run.run_id, FINAL_STATUSES, { compaction });
  return compaction;
}

const rowsOf = (files: readonly StagedFile[]): number => files.reduce((sum, { rows }) => sum + rows, 0);
