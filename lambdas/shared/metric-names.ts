/** Namespace of the metrics that functions write into their logs (embedded metric format). Their one dimension is `Stage`. */
export const METRIC_NAMESPACE = 'Assay';

/** Every metric there is; dashboard and alarms show these. Results are counted once, by the batch that wrote them. */
export type MetricName =
  | 'RowsScored'
  | 'RowsTargetError'
  | 'RowsJudgeError'
  | 'RowsSkipped'
  /** Requests that the judge or the target refused with 429. */
  | 'JudgeThrottles'
  | 'TargetThrottles'
  /** Metered cost of targets and judges. */
  | 'CostUsd'
  | 'RunsPassed'
  | 'RunsFailed'
  | 'RunsError'
  /** Ends of runs that could not be told on the event bus, each time that it was tried. */
  | 'RunsNotTold';
