import { calibrationFacts } from '../../core/calibration/run-calibration.ts';
import type { PriceTable } from '../../core/cost/price-table.ts';
import { priceOf } from '../../core/cost/price-table.ts';
import { DatasetReader, type DatasetSource, type ReadDatasetOptions } from '../../core/dataset/read-dataset.ts';
import { type DatasetSurvey, pickRows, surveyDataset } from '../../core/dataset/survey-dataset.ts';
import { ConfigError, type Fault } from '../../core/errors.ts';
import { calibrationReasons } from '../../core/gate/calibration-reasons.ts';
import { canonicalJson, sha256Hex } from '../../core/json.ts';
import { evalJudgeHash } from '../../core/judging/eval-judge-hash.ts';
import type { Calibration } from '../../core/schemas/calibration.ts';
import type { EvalConfig } from '../../core/schemas/eval.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { Policy } from '../../core/schemas/thresholds.ts';
import type { EvalScoring } from '../../core/scoring/eval-scoring.ts';
import { resolvePolicy } from '../../core/scoring/policy.ts';
import { constantRequests } from '../../core/template/constant-request.ts';
import type { Calibrations } from '../../ports/calibrations.ts';
import type { Judge } from '../../ports/judge.ts';
import type { RunStore } from '../../ports/run-store.ts';
import type { Target } from '../../ports/target.ts';

export interface PrepareRunRequest {
  readonly runId: string;
  readonly project: string;
  readonly evalVersion: number;
  readonly config: EvalConfig;
  readonly datasetId: string;
  /** Opens the dataset from its start; called twice when rows are sampled. */
  openDataset(): Promise<DatasetSource>;
  /** ISO time. */
  readonly startedAt: string;
  readonly ref: string | null;
  readonly sha: string | null;
  readonly triggeredBy: string | null;
  readonly evalFolder?: string;
  /** 0..1 */
  readonly projectPassMark?: number;
  readonly warnings: readonly string[];
}

export interface PrepareRunPorts {
  readonly runs: RunStore;
  readonly scoring: EvalScoring;
  readonly targets: readonly Target[];
  readonly judges: readonly Judge[];
  readonly prices: PriceTable;
  /** Names the secret whose value stands in a text. Absent: the eval has none. */
  findSecret?(text: string): string | null;
  /** Of the environment: go into the run's own. */
  readonly warnings?: readonly string[];
  /** Where calibrations of judges are kept, by judge hash. Absent: nowhere. */
  readonly calibrations?: Pick<Calibrations, 'find'>;
}

const UNLIMITED_ROWS = 10_000_000;

/**
 * Everything that can be found wrong before money is spent: configuration, prices, outbound rules, every row of the
 * dataset. Then writes `rows.jsonl` (the manifest) and `config.json`. Throws ConfigError or DatasetError.
 */
export async function prepareRun(request: PrepareRunRequest, ports: PrepareRunPorts): Promise<RunConfig> {
  const { config } = request;
  checkConfig(config, ports);
  const policy = resolvePolicy(config, { projectPassMark: request.projectPassMark });
  for (const target of ports.targets) await target.check();
  for (const judge of ports.judges) await judge.check();

  const judge_hash = evalJudgeHash(config);
  const calibration = judge_hash === null ? null : ((await ports.calibrations?.find(judge_hash)) ?? null);
  checkCalibration(calibration, policy, request);

  const written = await writeManifest(request, ports);
  const { version, withoutInput } = written.survey;
  const run: RunConfig = {
    run_id: request.runId,
    project: request.project,
    eval_version: request.evalVersion,
    config_hash: sha256Hex(canonicalJson(config)),
    policy,
    judge_hash,
    target_hash: sha256Hex(canonicalJson(config.targets)),
    eval: config,
    dataset: { id: request.datasetId, version, rows: written.survey.rows, without_input: withoutInput },
    rows: written.rows,
    started_at: request.startedAt,
    ref: request.ref,
    sha: request.sha,
    triggered_by: request.triggeredBy,
    ...(request.evalFolder === undefined ? {} : { eval_folder: request.evalFolder }),
    warnings: [
      ...request.warnings,
      ...(ports.warnings ?? []),
      ...constantRequests(config.targets),
      ...rowWarnings(written, config),
    ],
    ...(calibration === null ? {} : { calibration }),
  };
  await ports.runs.write(request.runId, 'config.json', `${JSON.stringify(run, null, 2)}\n`);
  return run;
}

/** What no row is needed to find. Throws ConfigError with all faults. */
export function checkConfig(
  config: EvalConfig,
  ports: Pick<PrepareRunPorts, 'scoring' | 'judges' | 'targets' | 'prices'>,
): void {
  const faults: Fault[] = [...ports.scoring.checkConfig(config), ...priceFaults(config, ports)];
  if (faults.length > 0) throw new ConfigError(faults);
}

/** What is wrong with a row: for its eval type, and that it holds a secret. */
export function rowCheck(
  config: EvalConfig,
  { scoring, findSecret }: Pick<PrepareRunPorts, 'scoring' | 'findSecret'>,
): (row: Row) => readonly Fault[] {
  if (findSecret === undefined) return (row) => scoring.checkRow(row, config);
  return (row) => {
    const found = secretFault(row, findSecret);
    return found === null ? scoring.checkRow(row, config) : [found];
  };
}

/** Answers are redacted before they are scored: one that rightly says what the row expects would be marked wrong. */
function secretFault(row: Row, findSecret: (text: string) => string | null): Fault | null {
  const name = findSecret(JSON.stringify(row));
  if (name === null) return null;
  // An id that holds the secret is not repeated.
  const which = findSecret(row.id) === null ? `row ${row.id}` : 'the row';
  const message = `${which} contains the value of secret ${name}, which is redacted wherever it stands`;
  return { message, fix: 'take it out of the dataset, or give the secret another value' };
}

/** A judge that may not gate is found before it is paid. Throws ConfigError. */
function checkCalibration(calibration: Calibration | null, policy: Policy, { startedAt }: PrepareRunRequest): void {
  const { require_calibration: required } = policy;
  if (required === undefined) return;
  const known = calibration === null ? null : calibrationFacts(calibration, startedAt);
  const broken = calibrationReasons(required, known).filter(({ outcome }) => outcome !== 'pass');
  if (broken.length === 0) return;
  throw new ConfigError(broken.map(({ rule, text }) => ({ field: rule, message: text })));
}

/** A cost limit on a model whose price is unknown would never trip. */
function priceFaults(
  config: EvalConfig,
  { judges, targets, prices }: Pick<PrepareRunPorts, 'judges' | 'targets' | 'prices'>,
): Fault[] {
  const limit =
    config.max_cost_usd_hard !== undefined
      ? 'max_cost_usd_hard'
      : config.thresholds.max_cost_usd != null
        ? 'thresholds.max_cost_usd'
        : null;
  if (limit === null) return [];
  const metered = [
    ...judges.filter((judge) => judge.type === 'bedrock'),
    ...targets.filter((target) => target.type === 'bedrock'),
  ];
  return metered.flatMap(({ model }) =>
    model === null || priceOf(model, prices) !== null
      ? []
      : [
          {
            field: limit,
            message: `a cost limit is set and model "${model}" has no price`,
            fix: 'add it to a price table (--prices file.json), or drop the limit',
          },
        ],
  );
}

interface Manifest {
  readonly survey: DatasetSurvey;
  readonly rows: number;
}

async function writeManifest(request: PrepareRunRequest, ports: PrepareRunPorts): Promise<Manifest> {
  const { config } = request;
  const source = await request.openDataset();
  // A dataset that lies normalised in its project was read under these columns when it was uploaded.
  const columns = source.format === 'rows' ? {} : config.columns;
  const options: ReadDatasetOptions = {
    columns,
    checkRow: rowCheck(config, ports),
  };
  const sampleSize = Math.min(config.sample_size ?? UNLIMITED_ROWS, config.max_rows);
  if (sampleSize >= UNLIMITED_ROWS) {
    // Everything runs: one pass reads, checks and writes. A fault at the end leaves no file behind.
    const reader = new DatasetReader(source, options);
    const rows = new ManifestLines();
    await ports.runs.write(request.runId, 'rows.jsonl', rows.of(reader));
    return { survey: { ...reader.counts(), picked: null }, rows: rows.count };
  }
  const survey = await surveyDataset(source, {
    ...options,
    sampleSize,
    sampleSeed: config.sample_seed,
  });
  const rows = new ManifestLines();
  await ports.runs.write(
    request.runId,
    'rows.jsonl',
    rows.of(pickRows(await request.openDataset(), survey, { columns })),
  );
  return { survey, rows: rows.count };
}

/** Rows as lines of `rows.jsonl`, each with the byte offset it starts at. */
class ManifestLines {
  count = 0;

  async *of(rows: AsyncIterable<Row>): AsyncGenerator<string> {
    let offset = 0;
    for await (const row of rows) {
      const line = `${JSON.stringify({ ...row, offset })}\n`;
      offset += Buffer.byteLength(line);
      this.count += 1;
      yield line;
    }
  }
}

function rowWarnings({ survey, rows }: Manifest, config: EvalConfig): string[] {
  const warnings = [...survey.warnings];
  if (survey.withoutInput > 0)
    warnings.push(`${survey.withoutInput} rows of the dataset have no input and were left out`);
  if (rows < Math.min(survey.rows, config.sample_size ?? survey.rows)) {
    warnings.push(`max_rows is ${config.max_rows}: a fixed sample of that many of ${survey.rows} rows is run`);
  }
  return warnings;
}
