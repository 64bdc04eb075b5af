import { Duration } from 'aws-cdk-lib';
import { JitterType } from 'aws-cdk-lib/aws-stepfunctions';
import type { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';

/**
 * Lambda's concurrency is taken. A batch holds its place for up to 15 minutes and a new account has ten places, so
 * waiting is measured in hours, not in attempts: a run slows down, it does not fail.
 */
const THROTTLED = ['Lambda.TooManyRequestsException'];

/** Nobody's fault and over soon. */
const UNAVAILABLE = [
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
];

/** What asking again cannot mend. */
const FINAL = ['ConfigError', 'DatasetError'];

/** The rest: out of memory, timed out, storage that gave up, a bug. Every step survives being done twice. */
const BROKEN = ['States.TaskFailed', 'States.Timeout'];

/** Retries of a Lambda task, in the order they are matched; full jitter, so that batches do not come back together. */
export function addTaskRetries(task: LambdaInvoke): void {
  const backoff = { interval: Duration.seconds(2), backoffRate: 2, jitterStrategy: JitterType.FULL };
  task.addRetry({ ...backoff, errors: THROTTLED, maxAttempts: 200, maxDelay: Duration.seconds(120) });
  task.addRetry({ ...backoff, errors: UNAVAILABLE, maxAttempts: 8, maxDelay: Duration.seconds(60) });
  task.addRetry({ errors: FINAL, maxAttempts: 0 });
  task.addRetry({ ...backoff, errors: BROKEN, maxAttempts: 3, maxDelay: Duration.seconds(60) });
}
