import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import { Construct } from 'constructs';
import { NAMED_QUERIES } from '../../src/analytics/named-queries.ts';
import type { NamedQuery } from '../../src/analytics/named-query.ts';
import { PARTITION, TABLES, type Table } from '../../src/analytics/tables.ts';
import type { StageConfig } from '../config.ts';
import type { ResultsStore } from './results-store.ts';

/** No run is older. A first day that is too early only makes queries without a date slower. */
const FIRST_DAY = '2026-01-01';

const PARAMETERS: Readonly<Record<Table['format'], Readonly<Record<string, string>>>> = {
  json: { classification: 'json', compressionType: 'gzip' },
  parquet: { classification: 'parquet' },
};
const READERS = {
  json: {
    inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
    outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
    serdeInfo: { serializationLibrary: 'org.apache.hive.hcatalog.data.JsonSerDe' },
  },
  parquet: {
    inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
    outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
    serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
  },
} as const;

export interface ResultsAnalyticsProps {
  readonly config: StageConfig;
  readonly store: ResultsStore;
}

/**
 * Athena over the results: a workgroup that bounds what a query may scan, tables over the bucket, and the questions
 * people ask first. It grants nobody anything; docs/athena.md says what an analyst needs.
 */
export class ResultsAnalytics extends Construct {
  readonly workGroupName: string;
  readonly databaseName: string;

  constructor(scope: Construct, id: string, { config, store }: ResultsAnalyticsProps) {
    super(scope, id);
    this.workGroupName = `assay-${config.stage}`;
    this.databaseName = `assay_${config.stage.replaceAll('-', '_')}`;
    const workGroup = this.createWorkGroup(config, store);
    const database = new CfnDatabase(this, 'Database', {
      catalogId: Stack.of(this).account,
      databaseInput: { name: this.databaseName, description: 'Row results and runs of Assay' },
    });
    for (const table of TABLES) this.createTable(table, store).addResourceDependency(database);
    for (const query of NAMED_QUERIES) this.createQuery(query).addResourceDependency(workGroup);
  }

  private createWorkGroup(config: StageConfig, { bucket, key }: ResultsStore): CfnWorkGroup {
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
          outputLocation: `s3://${bucket.bucketName}/athena-results/`,
          encryptionConfiguration: key
            ? { encryptionOption: 'SSE_KMS', kmsKey: key.keyArn }
            : { encryptionOption: 'SSE_S3' },
        },
      },
    });
    workGroup.applyRemovalPolicy(RemovalPolicy.DESTROY);
    return workGroup;
  }

  /**
   * Partitioned by day alone, through projection: nobody adds partitions, and a query over many runs or projects works.
   * (A projected run id would have to be given with `=` in every query.)
   */
  private createTable({ name, description, prefix, format, columns }: Table, { bucket }: ResultsStore): CfnTable {
    const location = `s3://${bucket.bucketName}/${prefix}/`;
    return new CfnTable(this, `Table-${name}`, {
      catalogId: Stack.of(this).account,
      databaseName: this.databaseName,
      tableInput: {
        name,
        description,
        tableType: 'EXTERNAL_TABLE',
        partitionKeys: [{ ...PARTITION }],
        parameters: {
          EXTERNAL: 'TRUE',
          ...PARAMETERS[format],
          'projection.enabled': 'true',
          [`projection.${PARTITION.name}.type`]: 'date',
          [`projection.${PARTITION.name}.format`]: 'yyyy-MM-dd',
          [`projection.${PARTITION.name}.range`]: `${FIRST_DAY},NOW`,
          'storage.location.template': `${location}${PARTITION.name}=\${${PARTITION.name}}/`,
        },
        storageDescriptor: {
          location,
          ...READERS[format],
          columns: columns.map(({ comment, ...column }) => ({ ...column, comment: comment || undefined })),
        },
      },
    });
  }

  private createQuery({ name, description, sql, parameters }: NamedQuery): CfnNamedQuery {
    const asked = parameters.map(({ comment, name: parameter }) => `${parameter} (${comment})`).join(', ');
    return new CfnNamedQuery(this, `Query-${name}`, {
      name: `assay_${name}`,
      description,
      database: this.databaseName,
      workGroup: this.workGroupName,
      queryString: `-- ${description}\n-- Parameters, in order: ${asked}${sql}`,
    });
  }
}
