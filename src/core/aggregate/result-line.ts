import { StorageError } from '../errors.ts';
import { unpackResult } from '../packed-result.ts';
import { RESULT_STATUSES, type RowResult } from '../schemas/result.ts';
import type { Manifest } from './manifest.ts';

export interface PlacedResult {
  readonly result: RowResult;
  /** Position of the target among the manifest's. */
  readonly target: number;
}

/**
 * A line of `results.jsonl` → its result. A million lines a run pass here, so only what the sums rest on is checked.
 * Throws StorageError that names the line: a result that cannot be read is never left out silently.
 */
export function parseResultLine(line: string, lineNumber: number, manifest: Manifest): PlacedResult {
  const result = parse(line, lineNumber);
  const fault = faultOf(result, manifest);
  if (fault !== null) throw malformed(lineNumber, fault);
  return { result, target: manifest.targets.indexOf(result.target) };
}

export function malformed(lineNumber: number, fault: string): StorageError {
  return new StorageError(`results, line ${lineNumber}: ${fault}; the run's results are damaged, run it again`);
}

function parse(line: string, lineNumber: number): RowResult {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw malformed(lineNumber, `not JSON (${line.length} characters, cut off or overwritten)`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(lineNumber, 'not an object');
  try {
    return unpackResult(value as RowResult);
  } catch {
    throw malformed(lineNumber, 'a column of JSON text does not hold JSON');
  }
}

/** Null when the line can be counted. */
function faultOf(result: RowResult, manifest: Manifest): string | null {
  if (result.run_id !== manifest.runId) return `belongs to run ${result.run_id}, not to ${manifest.runId}`;
  if (typeof result.row_id !== 'string' || result.row_id === '') return 'row_id is missing';
  if (!isIndexBelow(result.index, manifest.rows)) return `index ${result.index} is none of the ${manifest.rows} rows`;
  if (!manifest.targets.includes(result.target)) return `target "${result.target}" is none of the eval's`;
  if (result.phase !== 'main' && result.phase !== 'confirm') return `phase "${result.phase}" is unknown`;
  const trials = result.phase === 'main' ? manifest.trials : manifest.confirmTrials;
  if (!isIndexBelow(result.trial, trials))
    return `trial ${result.trial} is none of the ${trials} of phase ${result.phase}`;
  if (!RESULT_STATUSES.includes(result.status)) return `status "${result.status}" is unknown`;
  return faultOfValues(result);
}

function faultOfValues(result: RowResult): string | null {
  const { status, passed, score, latency_ms, spend } = result;
  if (status === 'scored' && !isShare(score)) return `score ${score} is not within 0..1`;
  if (typeof passed !== 'boolean') return 'passed is missing';
  if (passed && status !== 'scored') return `a ${status} cannot have passed`;
  if (latency_ms !== null && !isAmount(latency_ms)) return `latency_ms ${latency_ms} is no time`;
  if (typeof spend !== 'object' || spend === null) return 'spend is missing';
  if (!isCost(spend.target) || !isCost(spend.judge)) return 'spend holds no cost';
  if (typeof result.scores !== 'object' || result.scores === null) return 'scores are missing';
  if (!Array.isArray(result.tags)) return 'tags are missing';
  for (const name in result.scores) {
    const given = result.scores[name];
    if (given?.status === 'scored' && !isShare(given.value)) return `the score of ${name} is not within 0..1`;
  }
  return null;
}

const isIndexBelow = (value: unknown, limit: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < limit;
const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1;
const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && Number.isFinite(value);

function isCost(cost: RowResult['spend']['target'] | undefined): boolean {
  if (typeof cost !== 'object' || cost === null) return false;
  return cost.status === 'metered' ? isAmount(cost.usd) : cost.status === 'not_metered' || cost.status === 'unknown';
}
