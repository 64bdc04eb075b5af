import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type FileRunStore, openForReading } from '../adapters/local/file-run-store.ts';
import type { FormerVerdicts } from '../adapters/recorded-judge.ts';
import { ConfigError, StorageError } from '../core/errors.ts';
import { isJsonObject, type JsonObject, sha256Hex } from '../core/json.ts';
import { readLines } from '../core/jsonl.ts';
import { readText } from '../core/read-text.ts';
import type { JudgeConfig } from '../core/schemas/judge-config.ts';
import type { RowResult } from '../core/schemas/result.ts';
import { RUN_ID_PATTERN, type RunConfig, RunConfigSchema } from '../core/schemas/run.ts';
import { type RunSummary, RunSummarySchema } from '../core/schemas/summary.ts';
import type { ByteChunks } from '../ports/run-store.ts';
import { countedOutcomes } from '../use-cases/aggregate/counted-outcomes.ts';

/** A finished run to compare with. */
export interface FormerRun {
  readonly runId: string;
  readonly config: RunConfig;
  readonly summary: RunSummary;
  /** Uncompressed lines of outcomes.jsonl. Reading them throws StorageError where some are missing. */
  readonly outcomes: ByteChunks;
}

/** Null when the run does not exist or never finished. */
export async function openFormerRun(runId: string, runs: FileRunStore): Promise<FormerRun | null> {
  const [config, summary] = await Promise.all([readRunConfig(runId, runs), readSummary(runId, runs)]);
  if (config === null || summary === null) return null;
  const { rows } = summary.counts;
  return { runId, config, summary, outcomes: { [Symbol.asyncIterator]: () => readOutcomes(runId, rows, runs) } };
}

/** Reads all outcomes of a run that others are to be compared with, before anything is spent. Throws StorageError. */
export async function checkOutcomes({ outcomes }: FormerRun): Promise<void> {
  for await (const _chunk of outcomes);
}

/** Opened each time it is read: that may be hours after the run started, or never. */
async function* readOutcomes(runId: string, rows: number, runs: FileRunStore): AsyncGenerator<Uint8Array> {
  const chunks = await runs.read(runId, 'outcomes.jsonl.gz');
  const path = runs.locate(runId, 'outcomes.jsonl.gz');
  const fix = 'compare with another run (--baseline <run>) or with none (--baseline none)';
  if (chunks === null) throw new StorageError(`the baseline's ${path} is gone; ${fix}`);
  try {
    // Errors of both come out of the iteration.
    const lines = pipeline(chunks, createGunzip(), () => {}) as AsyncIterable<Buffer>;
    yield* countedOutcomes(lines, rows, { path, fix });
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError(`cannot read the baseline's ${path}: ${(error as Error).message}; ${fix}`, { cause: error });
  }
}

export async function readRunConfig(runId: string, runs: FileRunStore): Promise<RunConfig | null> {
  const text = await readStored(await runs.read(runId, 'config.json'));
  return text === null ? null : parseStored(text, RunConfigSchema, runs.locate(runId, 'config.json'));
}

export async function readSummary(runId: string, runs: FileRunStore): Promise<RunSummary | null> {
  const text = await readStored(await runs.read(runId, 'summary.json'));
  return text === null ? null : parseStored(text, RunSummarySchema, runs.locate(runId, 'summary.json'));
}

/** Results of a run in the order they ended; nothing when there are none. Throws StorageError that names the line it cannot read. */
export async function* readResults(runId: string, runs: FileRunStore): AsyncGenerator<RowResult> {
  const path = runs.locate(runId, 'results.jsonl');
  const chunks = await openForReading(path);
  if (chunks === null) return;
  let lines = 0;
  for await (const line of readLines(chunks)) {
    lines += 1;
    const result = parseJson(line);
    if (!isJsonObject(result)) {
      const fix = `assay run --resume ${runId} runs what is missing again`;
      throw new StorageError(
        `${path}, line ${lines}: no result (${line.length} characters, cut off or overwritten); ${fix}`,
      );
    }
    yield result as unknown as RowResult;
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Runs whose verdicts judges replay must be there before anything is asked. Throws ConfigError. */
export async function checkReplayedRuns(judges: readonly JudgeConfig[], runs: FileRunStore): Promise<void> {
  for (const judge of judges) {
    if (judge.type !== 'recorded' || judge.from === undefined) continue;
    const known = RUN_ID_PATTERN.test(judge.from) && (await readRunConfig(judge.from, runs)) !== null;
    if (known) continue;
    const fix = 'give --judge-from the id of a run under .assay/runs';
    throw new ConfigError([{ field: 'judge.from', message: `there is no run "${judge.from}" to replay`, fix }]);
  }
}

/** The verdicts that a former run stored with its scores, to judge the same answers again without a judge. */
export function formerVerdicts(runId: string, runs: FileRunStore): FormerVerdicts {
  let loaded: Promise<ReadonlyMap<string, JsonObject>> | null = null;
  return async (key) => {
    loaded ??= loadVerdicts(runId, runs);
    return (await loaded).get(verdictKey(key)) ?? null;
  };
}

async function loadVerdicts(runId: string, runs: FileRunStore): Promise<ReadonlyMap<string, JsonObject>> {
  const verdicts = new Map<string, JsonObject>();
  const trials = (await readRunConfig(runId, runs))?.eval.trials ?? 1;
  for await (const result of readResults(runId, runs)) {
    const ofRow: JsonObject = {};
    for (const [name, score] of Object.entries(result.scores)) {
      if (score.status === 'scored')
        ofRow[name] =
          score.raw_label === null
            ? { score: score.value, reason: score.reason }
            : { label: score.raw_label, reason: score.reason };
    }
    if (result.output === null) continue;
    const { row_id: rowId, target: targetId, output: answer } = result;
    // Trials that confirm are asked for as those that follow the manifest's.
    const trial = result.phase === 'confirm' ? trials + result.trial : result.trial;
    verdicts.set(verdictKey({ rowId, targetId, trial, answer }), ofRow);
  }
  return verdicts;
}

/** Hashed: answers are long, and a run has many. */
const verdictKey = ({ rowId, targetId, trial, answer }: Parameters<FormerVerdicts>[0]): string =>
  sha256Hex(JSON.stringify([rowId, targetId, trial, answer]));

async function readStored(chunks: ByteChunks | null): Promise<string | null> {
  return chunks === null ? null : readText(chunks);
}

function parseStored<T>(text: string, schema: { parse(value: unknown): T }, path: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new StorageError(`${path} is not what Assay wrote: ${(error as Error).message}`, { cause: error });
  }
}
