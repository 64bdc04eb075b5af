import { METRIC_NAMESPACE, type MetricName } from './metric-names.ts';

/**
 * Writes one line in CloudWatch's embedded metric format. Past the console, which would wrap it in a log record of its
 * own and hide it from CloudWatch.
 */
export function emitMetrics(stage: string, values: Partial<Record<MetricName, number>>, nowMs: number): void {
  const counted = Object.entries(values).filter(([, value]) => value !== 0);
  if (counted.length === 0) return;
  const Metrics = counted.map(([Name]) => ({ Name, Unit: Name === 'CostUsd' ? 'None' : 'Count' }));
  const line = {
    _aws: { Timestamp: nowMs, CloudWatchMetrics: [{ Namespace: METRIC_NAMESPACE, Dimensions: [['Stage']], Metrics }] },
    Stage: stage,
    ...Object.fromEntries(counted),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
