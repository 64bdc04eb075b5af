import { afterEach, describe, expect, it, vi } from 'vitest';
import { setLogSink } from '../../../lambdas/shared/log.ts';
import { METRIC_NAMESPACE } from '../../../lambdas/shared/metric-names.ts';
import { createRunEvents } from '../../../lambdas/shared/run-events.ts';
import { RunEventError } from '../../../src/core/errors.ts';
import { ManualClock } from '../../adapters/aws/local-cloud.ts';

describe('an end that a function could not tell', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is in its log with the run and the cause, and counted where the alarm looks', () => {
    const logged: unknown[] = [];
    setLogSink((level, record) => void logged.push({ level, ...record }));
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      written.push(String(line));
      return true;
    });
    const events = createRunEvents({ STAGE: 'prod', EVENT_BUS_NAME: 'default' }, new ManualClock());
    expect(events.stage).toBe('prod');
    events.notTold('r-1', new RunEventError('no such bus'));
    vi.restoreAllMocks();
    setLogSink((level, record) => console[level](record));
    expect(logged).toMatchObject([{ level: 'error', run_id: 'r-1', error: { message: 'no such bus' } }]);
    const [line, ...more] = written.map((text) => JSON.parse(text));
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Namespace: METRIC_NAMESPACE, Metrics: [{ Name: 'RunsNotTold', Unit: 'Count' }] }] },
      Stage: 'prod',
      RunsNotTold: 1,
    });
  });
});
