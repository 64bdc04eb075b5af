import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { CfnDatabase } from 'aws-cdk-lib/aws-glue';
import { Construct } from 'constructs';
import type { StageConfig } from '../config.ts';
import type { ResultsStore } from './results-store.ts';

export interface ResultsAnalyticsProps {
  readonly config: StageConfig;
  readonly store: ResultsStore;
}

/** Athena over the results: a workgroup that bounds what a query may scan, and the database of the tables. */
export class ResultsAnalytics extends Construct {
  readonly workGroupName: string;
  readonly databaseName: string;

  constructor(scope: Construct, id: string, { config, store }: ResultsAnalyticsProps) {
    super(scope, id);
    this.workGroupName = `assay-${config.stage}`;
    this.databaseName = `assay_${config.stage.replaceAll('-', '_')}`;
    const { key } = store;
    const workGroup = new CfnWorkGroup(this, 'WorkGroup', {
      name: this.workGroupName,
      description: 'Queries over the results of Assay',
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        publishCloudWatchMetricsEnabled: true,
        bytesScannedCutoffPerQuery: config.athena.scanLimitGb * 1_000_000_000,
        engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
        resultConfiguration: {
          outputLocation: `s3://${store.bucket.bucketName}/athena-results/`,
          encryptionConfiguration: key
            ? { encryptionOption: 'SSE_KMS', kmsKey: key.keyArn }
            : { encryptionOption: 'SSE_S3' },
        },
      },
    });
    workGroup.applyRemovalPolicy(RemovalPolicy.DESTROY);
    new CfnDatabase(this, 'Database', {
      catalogId: Stack.of(this).account,
      databaseInput: { name: this.databaseName, description: 'Row results and runs of Assay' },
    });
  }
}
