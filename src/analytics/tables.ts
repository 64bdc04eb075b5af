/** A column, with its type as Glue and Hive write it. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
}

export interface Table {
  readonly name: string;
  readonly description: string;
  /** Under the bucket; a folder `dt=<UTC date>/` a day lies below. */
  readonly prefix: string;
  /** JSON lines, each file gzip; or Parquet (ZSTD). */
  readonly format: 'json' | 'parquet';
  readonly columns: readonly Column[];
}

const column = (name: string, type: string, comment: string): Column => ({ name, type, comment });

const VOTE = 'struct<judge:string,value:double,label:string,error:string>';
const SCORE =
  'struct<status:string,value:double,cause:string,reason:string,in_row_score:boolean,higher_is_better:boolean,' +
  `raw_label:string,raw_score:double,scale:array<double>,votes:array<${VOTE}>,cached:boolean,repaired:boolean>`;
const COST = 'struct<status:string,usd:double,model:string>';
const USAGE = 'struct<input:bigint,output:bigint,cache_read:bigint,cache_write:bigint>';
const SPEND = `struct<target:${COST},judge:${COST},target_usage:${USAGE},judge_usage:${USAGE},judge_calls:bigint>`;

const IDENTITY: readonly Column[] = [
  column('run_id', 'string', 'Ids sort by start time'),
  column('project', 'string', ''),
  column('eval', 'string', 'Name of the eval'),
];
const REVISION: readonly Column[] = [
  column('ref', 'string', 'Branch or tag that the run was started for'),
  column('sha', 'string', 'Commit that the run was started for'),
  column('started_at', 'string', 'ISO time in UTC; its date is the partition'),
];

/** One line a (row, target, trial, phase). A row may lie in two parts: count each once, as the named queries do. */
export const ROW_RESULTS: Table = {
  name: 'row_results',
  description: 'One line a row, target and trial: answer, scores, cost, time',
  prefix: 'results',
  format: 'json',
  columns: [
    ...IDENTITY,
    column('eval_version', 'bigint', ''),
    column('dataset', 'string', ''),
    column('dataset_version', 'string', ''),
    ...REVISION,
    column('row_id', 'string', ''),
    column('index', 'bigint', 'Position of the row in the run, from 0'),
    column('cluster', 'string', ''),
    column('tags', 'array<string>', ''),
    column('difficulty', 'string', ''),
    column('target', 'string', ''),
    column('target_model', 'string', ''),
    column('trial', 'bigint', 'From 0'),
    column('phase', 'string', 'main; confirm for failures that were tried again, which count as cost only'),
    column('status', 'string', 'scored, target_error, judge_error, skipped'),
    column('cause', 'string', 'Why it is not scored'),
    column('passed', 'boolean', ''),
    column('score', 'double', '0 to 1; 0 for target_error, null for judge_error and skipped'),
    column('latency_ms', 'double', 'Request sent to full answer, last attempt'),
    column('attempts', 'bigint', 'Requests to the target'),
    column('cost_target_usd', 'double', 'Null: not metered, or a model without a price'),
    column('cost_judge_usd', 'double', 'Null: not metered, or a model without a price'),
    column('tokens_in', 'bigint', 'Of target and judge together; spend has them apart'),
    column('tokens_out', 'bigint', 'Of target and judge together; spend has them apart'),
    column('judge_hash', 'string', 'Same hash, same judge and rubric'),
    column('input', 'string', 'Text, or JSON text where json_columns names it'),
    column('expected', 'string', 'Text, or JSON text where json_columns names it'),
    column('output', 'string', 'The whole answer'),
    column('contexts', 'array<string>', ''),
    column('trajectory', 'string', 'JSON text'),
    column('scores', `map<string,${SCORE}>`, 'By metric'),
    column('failed_checks', 'array<string>', ''),
    column('metadata', 'string', 'JSON text'),
    column('error', 'string', ''),
    column('spend', SPEND, 'Cost and tokens apart for target and judge'),
    column('warnings', 'array<string>', ''),
    column('json_columns', 'array<string>', 'Which of input and expected are JSON text'),
  ],
};

/** The same lines once more, for runs that were compacted: of over a million results by itself, of others when asked. */
export const ROW_RESULTS_PARQUET: Table = {
  ...ROW_RESULTS,
  name: 'row_results_parquet',
  description: 'row_results of the runs that were compacted, as Parquet: fast for runs of millions of rows',
  prefix: 'parquet',
  format: 'parquet',
};

/** One line a row, its targets and trials reduced to the one outcome that the gate counted. */
export const ROW_OUTCOMES: Table = {
  name: 'row_outcomes',
  description: 'One line a row of a finished run, as the gate counted it over targets and trials',
  prefix: 'tables/row_outcomes',
  format: 'json',
  columns: [
    ...IDENTITY,
    ...REVISION,
    column('row_id', 'string', ''),
    column('content', 'string', 'Hash of input and expected: another hash is another question'),
    column('status', 'string', 'scored, target_error, judge_error, skipped'),
    column('passed', 'boolean', ''),
    column('score', 'double', 'Null: no verdict, the row counts nowhere'),
  ],
};

/** One line a finished run; of one that broke or was cancelled before it was counted, null for every figure. */
export const RUNS: Table = {
  name: 'runs',
  description:
    'One line a finished run: gate, rates, counts, cost; figures are null where it broke before they were counted',
  prefix: 'tables/runs',
  format: 'json',
  columns: [
    ...IDENTITY,
    column('type', 'string', 'Type of the eval'),
    column('dataset', 'string', ''),
    column('dataset_version', 'string', ''),
    ...REVISION,
    column('finished_at', 'string', ''),
    column('status', 'string', 'passed, failed, error, cancelled'),
    column('gate', 'string', 'pass, fail, error'),
    column('message', 'string', ''),
    column('quarantined', 'boolean', 'Reported, never decides the gate'),
    column('score', 'double', ''),
    column('pass_rate', 'double', ''),
    column('coverage', 'double', ''),
    column('row_count', 'bigint', 'Rows of the manifest'),
    column('passed_rows', 'bigint', ''),
    column('failed_rows', 'bigint', ''),
    column('flaky_rows', 'bigint', ''),
    column('results', 'bigint', 'Rows × targets × trials; once counted, sum of the next four'),
    column('scored', 'bigint', ''),
    column('target_errors', 'bigint', ''),
    column('judge_errors', 'bigint', ''),
    column('skipped', 'bigint', ''),
    column('p50_ms', 'double', ''),
    column('p95_ms', 'double', ''),
    column('cost_target_usd', 'double', 'Null: a call without a price'),
    column('cost_judge_usd', 'double', 'Null: a call without a price'),
    column('judges', 'array<string>', ''),
    column('judge_hash', 'string', ''),
    column('target_hash', 'string', ''),
    column('policy_hash', 'string', ''),
    column('baseline_run_id', 'string', 'Null: compared with none'),
    column('regressed_rows', 'bigint', ''),
    column('fixed_rows', 'bigint', ''),
  ],
};

export const TABLES: readonly Table[] = [ROW_RESULTS, ROW_OUTCOMES, RUNS, ROW_RESULTS_PARQUET];

/** Every table is partitioned by the UTC date on which its run started. */
export const PARTITION = column('dt', 'string', 'UTC date on which the run started, 2026-11-30');
