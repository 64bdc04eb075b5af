import { sha256Hex } from '../../core/json.ts';

/**
 * The one table: keys `pk`, `sk`; sparse index `gsi1` (keys `gsi1pk`, `gsi1sk`; projecting the keys is enough, since
 * what it finds is read from the table); TTL attribute `ttl` (seconds since 1970).
 *
 * | item                | pk                     | sk                          | gsi1pk / gsi1sk                        |
 * | ------------------- | ---------------------- | --------------------------- | -------------------------------------- |
 * | project             | PROJECTS               | <project>                   |                                        |
 * | an eval's name      | PROJECT#<project>      | EVAL#<name>                 |                                        |
 * | eval version        | EVAL#<project>#<name>  | V#<version, 10 digits>      |                                        |
 * | a dataset's name    | PROJECT#<project>      | DATASET#<id>                |                                        |
 * | dataset version     | DATASET#<project>#<id> | V#<version>                 |                                        |
 * | upload of a dataset | DATASET#<project>#<id> | U#<upload id>               |                                        |
 * | token of the API    | TOKENS                 | <token id>                  |                                        |
 * | slots of a project  | SLOTS                  | <project>                   |                                        |
 * | baseline promotion  | BASELINE#<project>#<eval> | <promoted at>#<run>      |                                        |
 * | run                 | RUN#<run>              | RUN                         | OPEN / <started at>#<run>, while open  |
 * |                     |                        |                             | UNANNOUNCED / the same, until told     |
 * | run in its eval     | RUNS#<project>#<eval>  | <started at>#<run>          |                                        |
 * | run counters        | RUN#<run>              | COUNTERS                    |                                        |
 * | batch of a run (ttl)| RUN#<run>              | BATCH#<first row, 10 digits>|                                        |
 * | spending of a run   | RUN#<run>              | SPENDING                    |                                        |
 * | gate run            | GATE#<gate run>        | GATE                        |                                        |
 * | delivery (ttl)      | DELIVERY#<project>     | <hash of its key>           |                                        |
 * | pace (ttl)          | PACE#<key>             | PACE                        |                                        |
 * | calibration of a judge | CALIBRATION#<project> | <judge hash>             |                                        |
 * | verdict (ttl)       | VERDICT#<project>#<key>| VERDICT                     |                                        |
 * | row result          | ROWS#<run>#<shard>     | <row>#…#<trial>#<phase>     | FAILED#<run>#<shard> / the same sk,    |
 * |                     |                        |                             | while it has not passed                |
 *
 * One partition key takes at most 1,000 writes a second, so row results are spread over `ROW_SHARDS` keys, in the
 * table and in the index. Conditional writes and batch writes only, no transactions: where one fact needs two items,
 * the one that is only a signpost is written first, so that a crash in between leaves a signpost to nothing (readers
 * pass over it) and never something nobody finds.
 */
export const TABLE_KEYS = {
  partitionKey: 'pk',
  sortKey: 'sk',
  index: 'gsi1',
  indexPartitionKey: 'gsi1pk',
  indexSortKey: 'gsi1sk',
  ttl: 'ttl',
} as const;

export const ROW_SHARDS = 16;
export const OPEN_RUNS = 'OPEN';
/** Runs that are over and whose end is still to be told. */
export const UNANNOUNCED_RUNS = 'UNANNOUNCED';
export const PROJECTS = 'PROJECTS';
export const TOKENS = 'TOKENS';
export const SLOTS = 'SLOTS';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export const keys = {
  project: (project: string): Key => ({ pk: PROJECTS, sk: keyPart(project) }),
  catalog: (project: string): string => `PROJECT#${keyPart(project)}`,
  evalName: (project: string, name: string): Key => ({ pk: keys.catalog(project), sk: `EVAL#${keyPart(name)}` }),
  evalVersions: (project: string, name: string): string => `EVAL#${keyPart(project)}#${keyPart(name)}`,
  evalVersion: (project: string, name: string, version: number): Key => ({
    pk: keys.evalVersions(project, name),
    sk: `V#${digits(version, 10)}`,
  }),
  datasetName: (project: string, id: string): Key => ({ pk: keys.catalog(project), sk: `DATASET#${keyPart(id)}` }),
  datasetVersions: (project: string, id: string): string => `DATASET#${keyPart(project)}#${keyPart(id)}`,
  datasetVersion: (project: string, id: string, version: string): Key => ({
    pk: keys.datasetVersions(project, id),
    sk: `V#${keyPart(version)}`,
  }),
  datasetUpload: (project: string, id: string, uploadId: string): Key => ({
    pk: keys.datasetVersions(project, id),
    sk: `U#${keyPart(uploadId)}`,
  }),
  token: (id: string): Key => ({ pk: TOKENS, sk: keyPart(id) }),
  slots: (project: string): Key => ({ pk: SLOTS, sk: keyPart(project) }),
  baselinePins: (project: string, evalName: string): string => `BASELINE#${keyPart(project)}#${keyPart(evalName)}`,
  baselinePin: (project: string, evalName: string, promotedAt: string, runId: string): Key => ({
    pk: keys.baselinePins(project, evalName),
    sk: keys.runOrder(promotedAt, runId),
  }),
  run: (runId: string): Key => ({ pk: `RUN#${keyPart(runId)}`, sk: 'RUN' }),
  runsOfEval: (project: string, evalName: string): string => `RUNS#${keyPart(project)}#${keyPart(evalName)}`,
  /** Sorts runs by their start; `startedAt` is any ISO time. */
  runOrder: (startedAt: string, runId: string): string => `${utcTime(startedAt)}#${keyPart(runId)}`,
  counters: (runId: string): Key => ({ pk: `RUN#${keyPart(runId)}`, sk: 'COUNTERS' }),
  batch: (runId: string, firstIndex: number): Key => ({
    pk: `RUN#${keyPart(runId)}`,
    sk: `BATCH#${digits(firstIndex, 10)}`,
  }),
  spending: (runId: string): Key => ({ pk: `RUN#${keyPart(runId)}`, sk: 'SPENDING' }),
  gate: (gateRunId: string): Key => ({ pk: `GATE#${keyPart(gateRunId)}`, sk: 'GATE' }),
  delivery: (project: string, key: string): Key => ({ pk: `DELIVERY#${keyPart(project)}`, sk: sha256Hex(key) }),
  /** The throttled pace of a model or host; all that ask it share the item. */
  pace: (key: string): Key => ({ pk: `PACE#${keyPart(key)}`, sk: 'PACE' }),
  calibrations: (project: string): string => `CALIBRATION#${keyPart(project)}`,
  calibration: (project: string, judgeHash: string): Key => ({
    pk: keys.calibrations(project),
    sk: keyPart(judgeHash),
  }),
  verdict: (project: string, key: string): Key => ({
    pk: `VERDICT#${keyPart(project)}#${keyPart(key)}`,
    sk: 'VERDICT',
  }),
  rows: (runId: string, shard: number): string => `ROWS#${keyPart(runId)}#${shard}`,
  failedRows: (runId: string, shard: number): string => `FAILED#${keyPart(runId)}#${shard}`,
};

/** Identity of one result within its run; sorts by row, then target, trial and phase. */
export function rowSortKey(result: {
  readonly index: number;
  readonly row_id: string;
  readonly target: string;
  readonly trial: number;
  readonly phase: 'main' | 'confirm';
}): string {
  const row = `${digits(result.index, 10)}#${sha256Hex(result.row_id).slice(0, 16)}`;
  const phase = result.phase === 'main' ? '0' : '1';
  return `${row}#${keyPart(result.target)}#${digits(result.trial, 6)}#${phase}`;
}

/** What every sort key of the row at `index`, and of those behind it, is greater than; undefined for no row. */
export function beforeRow(index: number | undefined): string | undefined {
  return index === undefined ? undefined : digits(index, 10);
}

export function rowShard(rowId: string): number {
  return Number.parseInt(sha256Hex(rowId).slice(0, 8), 16) % ROW_SHARDS;
}

/** Plain ids as they are; anything else (blanks, `#`, `/`, other scripts, long) as a hash, which no plain id equals. */
export function keyPart(text: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/.test(text) ? text : `~${sha256Hex(text)}`;
}

function digits(value: number, width: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a whole number from 0`);
  return String(value).padStart(width, '0');
}

function utcTime(isoTime: string): string {
  const time = new Date(isoTime);
  if (Number.isNaN(time.getTime())) throw new RangeError(`"${isoTime}" is not an ISO time`);
  return time.toISOString();
}
