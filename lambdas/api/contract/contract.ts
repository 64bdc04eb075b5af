import * as z from 'zod';
import { CalibrationEvidenceSchema } from '../../../src/core/schemas/calibration.ts';
import { EvalFileSchema } from '../../../src/core/schemas/eval.ts';
import { NewTokenSchema } from '../../../src/use-cases/manage/api-tokens.ts';
import { NewProjectSchema } from '../../../src/use-cases/manage/create-project.ts';
import { EvalStateSchema } from '../../../src/use-cases/manage/eval-history.ts';
import { PromotionSchema } from '../../../src/use-cases/manage/promote-baseline.ts';
import { ProjectSettingsSchema } from '../../../src/use-cases/manage/put-project.ts';
import type { Operation } from '../../routes.ts';
import { RotationSchema } from '../projects.ts';
import { LinkRotationSchema } from '../rotate-links.ts';
import { DecideSchema } from '../runs.ts';
import { OriginSchema, WebhookSchema } from '../start-gate-run.ts';
import { CompletedUploadSchema, NewUploadSchema } from '../uploads.ts';
import * as views from './views.ts';

/** Where a body is a form; its fields are all text but the file. */
export const DatasetFormSchema = z.object({
  file: z.string().meta({ contentMediaType: 'application/octet-stream' }).describe('CSV, JSON or JSONL, gzip too'),
  name: z.string().optional().describe('of the dataset; absent: the file is its name'),
  columns: z.string().optional().describe('JSON of field → column, such as {"expected": "ground_truth"}'),
});

export type QueryName =
  | 'version'
  | 'last'
  | 'runs'
  | 'limit'
  | 'cursor'
  | 'failed_only'
  | 'short'
  | 'row_id'
  | 'index'
  | 'expires'
  | 'signature';

/** One call of the API as its document tells it. */
export interface OperationContract {
  readonly summary: string;
  readonly query?: readonly QueryName[];
  /** What the handler parses the body with, and one that it takes. Optional bodies may be empty. */
  readonly body?: {
    readonly schema: z.ZodType;
    readonly example: unknown;
    readonly optional?: true;
    readonly isForm?: true;
  };
  /** The answer that is no problem; null: it has no JSON body. */
  readonly answers: Readonly<Partial<Record<200 | 201 | 202 | 204 | 302, z.ZodType | null>>>;
}

const qaEval = {
  name: 'faq',
  type: 'qa',
  dataset: 'faq',
  target: { url: 'https://bot.example.com/answer' },
  scorers: ['contains'],
};
const calibration = {
  judge_hash: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  judges: ['us.amazon.nova-2-lite-v1:0'],
  eval: 'faq',
  metric: 'judge',
  mark: 0.5,
  date: '2026-11-30T08:00:00.000Z',
  label_policy: '2026-01',
  dataset: { id: 'labels.csv', version: 'cad1ef0e' },
  not_judged: 0,
  confusion: {
    labels: ['fail', 'pass'],
    counts: [
      [46, 4],
      [3, 47],
    ],
  },
  judged_only: { judged: 100, passed: 62 },
};
const origin = { triggered_by: 'ci', ref: 'refs/heads/main', sha: '4f2a9c1' };

/** Every call, with the schemas that the handlers parse with. A route without an entry does not compile. */
export const CONTRACT: Readonly<Record<Operation, OperationContract>> = {
  readOpenApi: { summary: 'This document', answers: { 200: views.OpenApiSchema } },

  readConsole: { summary: 'The web console', answers: { 200: null } },
  readConsoleFile: { summary: 'A file of the web console', answers: { 200: null } },

  startGateRun: {
    summary: 'Start every active eval of a project, or those that are named',
    body: { schema: WebhookSchema, example: { ...origin, evals: ['faq'] }, optional: true },
    answers: { 202: views.StartedGateSchema },
  },
  readGate: { summary: 'The gate of runs that a webhook started', answers: { 200: views.GateViewSchema } },

  createProject: {
    summary: 'Make a project',
    body: { schema: NewProjectSchema, example: { id: 'bank', name: 'Bank', default_pass_mark: 0.9 } },
    answers: { 201: views.NewProjectViewSchema },
  },
  listProjects: { summary: 'Projects', answers: { 200: views.ProjectListSchema } },
  readProject: { summary: 'A project and its settings', answers: { 200: views.ProjectViewSchema } },
  putProject: {
    summary: 'Change settings of a project; what is left out stays',
    body: {
      schema: ProjectSettingsSchema,
      example: { name: 'Shop', baseline_ref: 'main', allowed_hosts: ['bot.internal'] },
    },
    answers: { 200: views.ProjectViewSchema },
  },
  listSecrets: {
    summary: 'Names of the secrets that the evals of a project ask for; no values',
    answers: { 200: views.SecretListSchema },
  },
  rotateWebhookSecret: {
    summary: 'A new webhook secret; the one before stays valid until the next rotation, unless told otherwise',
    body: { schema: RotationSchema, example: { keep_previous: true }, optional: true },
    answers: { 200: views.RotatedSecretSchema },
  },

  pushCalibration: {
    summary: 'Keep how a judge did beside human labels; figures are worked out here, from the counts',
    body: { schema: CalibrationEvidenceSchema, example: calibration },
    answers: { 200: views.CalibrationViewSchema },
  },
  listCalibrations: { summary: 'Calibrated judges, newest first', answers: { 200: views.CalibrationListSchema } },

  createToken: {
    summary: 'Make a token of some projects or all, which may read or write, until it expires',
    body: {
      schema: NewTokenSchema,
      example: { name: 'nightly', projects: ['shop'], access: 'read', expires_in_days: 30 },
    },
    answers: { 201: views.NewTokenViewSchema },
  },
  listTokens: { summary: 'Tokens, without what they are', answers: { 200: views.TokenListSchema } },
  readCaller: { summary: 'Who makes this call, and what it may', answers: { 200: views.CallerViewSchema } },
  revokeToken: { summary: 'Revoke a token at once', answers: { 200: views.TokenViewSchema } },

  putDataset: {
    summary: 'Upload a dataset of up to 4 MB',
    body: {
      schema: DatasetFormSchema,
      example: { file: 'input,expected\nHi,Hello\n', name: 'greetings' },
      isForm: true,
    },
    answers: { 200: views.DatasetViewSchema, 201: views.DatasetViewSchema },
  },
  listDatasets: { summary: 'Datasets of a project', answers: { 200: views.DatasetListSchema } },
  openUpload: {
    summary: 'Open the upload of a larger dataset in parts',
    body: { schema: NewUploadSchema, example: { name: 'big.jsonl', size: 9_000_000 } },
    answers: { 201: views.OpenedUploadSchema },
  },
  completeUpload: {
    summary: 'All parts are sent: read them as a dataset',
    body: { schema: CompletedUploadSchema, example: { columns: { expected: 'ground_truth' } }, optional: true },
    answers: { 202: views.CompletedUploadViewSchema },
  },
  readDataset: { summary: 'A dataset, its versions and first rows', answers: { 200: views.DatasetDetailSchema } },
  deleteDataset: { summary: 'Delete a dataset with all its versions', answers: { 204: null } },
  listResults: {
    summary: 'Results of a run, in row order; `short`: long texts are cut',
    query: ['failed_only', 'limit', 'short', 'cursor'],
    answers: { 200: views.ResultListSchema },
  },

  createEval: {
    summary: "Make an eval; the body of a test of Plainwright's is taken as it is, with `dataset_id` a dataset here",
    body: { schema: EvalFileSchema, example: { ...qaEval, name: 'greetings' } },
    answers: { 201: views.NewEvalViewSchema },
  },
  listEvals: {
    summary: 'Evals of a project; with `runs`, the last runs of each',
    query: ['runs'],
    answers: { 200: views.EvalListSchema },
  },
  readEval: {
    summary: 'An eval, its newest version or another',
    query: ['version'],
    answers: { 200: views.EvalViewSchema },
  },
  putEval: {
    summary: 'A new version of an eval, or its first',
    body: { schema: EvalFileSchema, example: qaEval },
    answers: { 200: views.EvalViewSchema, 201: views.EvalViewSchema },
  },
  deleteEval: { summary: 'Delete an eval with all its versions', answers: { 204: null } },
  startRun: {
    summary: 'Start a run of one eval',
    body: { schema: OriginSchema, example: origin, optional: true },
    answers: { 202: views.StartedGateSchema },
  },
  readTrend: { summary: 'The last runs of an eval', query: ['last', 'cursor'], answers: { 200: views.TrendSchema } },
  promoteBaseline: {
    summary: 'Make a passing run what `baseline: pinned` compares with; `force` takes any run that has results',
    body: { schema: PromotionSchema, example: { run_id: 'r-01JD0000000000000000000001', note: 'release 4' } },
    answers: { 200: views.BaselinePinViewSchema },
  },
  readBaseline: {
    summary: 'The pinned baseline, and the record of promotions',
    query: ['last'],
    answers: { 200: views.BaselineHistorySchema },
  },
  readHistory: { summary: 'Versions of an eval', query: ['last'], answers: { 200: views.EvalHistorySchema } },
  setEvalState: {
    summary: 'Activate, deactivate or quarantine an eval: a new version of it',
    body: { schema: EvalStateSchema, example: { active: true, quarantined: true } },
    answers: { 200: views.EvalViewSchema },
  },

  readRun: { summary: 'A run: its progress, and its summary once it is over', answers: { 200: views.RunViewSchema } },
  readRow: {
    summary: 'All results of one row of a run, whole; `index` is its position there, where it is known',
    query: ['row_id', 'index'],
    answers: { 200: views.RowViewSchema },
  },
  compareRuns: {
    summary: 'Two finished runs row by row; changes are `other` − `id`',
    answers: { 200: views.RunComparisonSchema },
  },
  decideRun: {
    summary: 'A finished run decided again under another policy, of up to 20,000 results; nothing is asked or stored',
    body: { schema: DecideSchema, example: { policy: { thresholds: { pass_rate: 0.9 } } }, optional: true },
    answers: { 200: views.RedecidedRunViewSchema },
  },
  compactRun: {
    summary: 'Copy the results of a finished run to Parquet, for Athena; `compaction` of the run says when it is done',
    answers: { 202: views.StartedCompactionSchema },
  },
  cancelRun: { summary: 'Cancel a run', answers: { 202: views.CancelledRunSchema } },
  readReport: { summary: 'The report of a finished run, at a URL that expires', answers: { 200: null, 302: null } },
  readJUnit: {
    summary: 'JUnit XML of a finished run, a case a row, at a URL that expires',
    answers: { 200: null, 302: null },
  },
  openReportLink: {
    summary: 'The report of a finished run, by the link that its gate gives: without a token, until it expires',
    query: ['expires', 'signature'],
    answers: { 200: null, 302: null },
  },
  openJUnitLink: {
    summary: 'JUnit XML of a finished run, by the link that its gate gives',
    query: ['expires', 'signature'],
    answers: { 200: null, 302: null },
  },
  rotateLinks: {
    summary: 'Revoke every link to a report that was given out; `keep_previous` lets them live until the next rotation',
    body: { schema: LinkRotationSchema, example: { keep_previous: false }, optional: true },
    answers: { 200: views.RotatedLinksSchema },
  },
};
