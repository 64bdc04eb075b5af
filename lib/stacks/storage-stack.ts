import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { StageConfig } from '../config.ts';
import { ProjectSecrets } from '../constructs/project-secrets.ts';
import { ResultsStore } from '../constructs/results-store.ts';

export interface StorageStackProps extends StackProps {
  readonly config: StageConfig;
}

/** What outlives every deploy, and `cdk destroy` unless the stage says otherwise. */
export class StorageStack extends Stack {
  readonly store: ResultsStore;
  readonly secrets: ProjectSecrets;

  constructor(scope: Construct, id: string, { config, ...props }: StorageStackProps) {
    super(scope, id, props);
    this.store = new ResultsStore(this, 'Results', { config });
    this.secrets = new ProjectSecrets(this, 'Secrets', { config });
    new CfnOutput(this, 'BucketName', { value: this.store.bucket.bucketName });
    new CfnOutput(this, 'TableName', { value: this.store.table.tableName });
    if (this.secrets.apiToken !== undefined) {
      new CfnOutput(this, 'ApiTokenSecret', {
        description: 'First API token: aws secretsmanager get-secret-value --query SecretString --secret-id <this>',
        value: `${config.secretsPrefix}/_system/api-token`,
      });
    }
  }
}
