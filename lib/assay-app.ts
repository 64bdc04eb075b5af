import { type App, Tags, Validations } from 'aws-cdk-lib';
import type { StageConfig } from './config.ts';
import { AcknowledgedChecks } from './nag.ts';
import { EvaluationStack } from './stacks/evaluation-stack.ts';
import { StorageStack } from './stacks/storage-stack.ts';

export interface AssayStacks {
  readonly storage: StorageStack;
  readonly evaluation: EvaluationStack;
}

/** Both stacks of a stage, checked by cdk-nag at synth. Account and Region are those of the caller's credentials. */
export function addAssayStacks(app: App, config: StageConfig): AssayStacks {
  const name = (part: string) => `assay-${config.stage}-${part}`;
  const storage = new StorageStack(app, name('storage'), {
    config,
    description: `Assay ${config.stage}: datasets, runs and results`,
  });
  const evaluation = new EvaluationStack(app, name('evaluation'), {
    config,
    store: storage.store,
    secrets: storage.secrets,
    description: `Assay ${config.stage}: API, run workflow and functions`,
  });
  Tags.of(app).add('app', 'assay');
  Tags.of(app).add('stage', config.stage);
  Validations.of(app).addPlugins(new AcknowledgedChecks(app));
  return { storage, evaluation };
}
