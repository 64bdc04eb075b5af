import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { StageConfig } from '../config.ts';
import type { EvalFunction } from './eval-function.ts';

/** Bus that the ends of runs are told on. Its name is fixed, so that functions and bus need not wait for one another. */
export function eventBusName({ stage, notifications }: StageConfig): string {
  return notifications.bus === 'own' ? `assay-${stage}` : 'default';
}

/** For functions that close runs. */
export function grantTellRuns(fn: EvalFunction, config: StageConfig): void {
  const resources = [fn.arnOf('events', `event-bus/${eventBusName(config)}`)];
  fn.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources }));
}
