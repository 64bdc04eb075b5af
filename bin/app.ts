/** The CDK app: `npx cdk deploy --all`, or `-c stage=<name>` for another stage of cdk.json. */
import { App } from 'aws-cdk-lib';
import { addAssayStacks } from '../lib/assay-app.ts';
import { readStageConfig } from '../lib/config.ts';
import { ConfigError } from '../src/core/errors.ts';

try {
  const app = new App();
  const stage: unknown = app.node.tryGetContext('stage') ?? 'prod';
  addAssayStacks(app, readStageConfig(app.node.tryGetContext('assay:stages'), String(stage)));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
