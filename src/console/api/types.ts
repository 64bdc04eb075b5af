import type * as z from 'zod';
import type {
  BaselineHistorySchema,
  CallerViewSchema,
  DatasetDetailSchema,
  DatasetListSchema,
  EvalListSchema,
  EvalViewSchema,
  ProjectListSchema,
  ResultListSchema,
  RowViewSchema,
  RunComparisonSchema,
  RunViewSchema,
  StartedGateSchema,
  TrendSchema,
} from '../../../lambdas/api/contract/views.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';

/** What the API answers, from the schemas that its description is made of. Types only: nothing of them is bundled. */
export type Caller = z.infer<typeof CallerViewSchema>;
export type Project = z.infer<typeof ProjectListSchema>['items'][number];
export type EvalEntry = z.infer<typeof EvalListSchema>['items'][number];
export type Eval = z.infer<typeof EvalViewSchema>;
export type Dataset = z.infer<typeof DatasetListSchema>['items'][number];
export type DatasetDetail = z.infer<typeof DatasetDetailSchema>;
export type Trend = z.infer<typeof TrendSchema>;
export type TrendPoint = Trend['items'][number];
export type BaselineHistory = z.infer<typeof BaselineHistorySchema>;
/** Of a run that is over, all of its summary besides; of one that broke early, the record alone. */
export type Run = z.infer<typeof RunViewSchema> & Partial<Omit<RunSummary, 'gate' | 'decision'>>;
export type ResultPage = z.infer<typeof ResultListSchema>;
export type ResultItem = ResultPage['items'][number];
export type WholeResult = z.infer<typeof RowViewSchema>['items'][number];
export type RunComparison = z.infer<typeof RunComparisonSchema>;
export type RowChange = RunComparison['regressed'][number];
export type StartedGate = z.infer<typeof StartedGateSchema>;
export type Score = WholeResult['scores'][string];
export type Trajectory = NonNullable<WholeResult['trajectory']>;
