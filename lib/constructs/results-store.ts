import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { StageConfig } from '../config.ts';

/** Top-level folders of the bucket. `map-results/` and `athena-results/` are scratch, apart from what Athena reads. */
type Folder =
  | 'datasets'
  | 'uploads'
  | 'runs'
  | 'results'
  | 'tables'
  | 'parquet'
  | 'compacting'
  | 'map-results'
  | 'athena-results';

/** What a function does with objects of a folder. `write` includes multipart uploads and their end. */
type ObjectAccess = Partial<Record<Folder, readonly ('read' | 'write' | 'delete')[]>>;

const OBJECT_ACTIONS = {
  read: ['s3:GetObject'],
  write: ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
  delete: ['s3:DeleteObject'],
} as const;

const TABLE_READ = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
/** What a function does with items besides reading them by key; `putMany` is a batch of puts, or of deletes. */
const ITEM_ACTIONS = {
  put: 'dynamodb:PutItem',
  update: 'dynamodb:UpdateItem',
  putMany: 'dynamodb:BatchWriteItem',
  delete: 'dynamodb:DeleteItem',
} as const;
type ItemWrite = keyof typeof ITEM_ACTIONS;

/** What S3 and DynamoDB do with the key in the name of a caller. */
const KEY_USE = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

export interface ResultsStoreProps {
  readonly config: StageConfig;
}

/** One bucket and one table: datasets, runs and results at rest. All that must outlive a deploy. */
export class ResultsStore extends Construct {
  readonly bucket: Bucket;
  readonly table: TableV2;
  /** Present with `encryption: customer-key`. */
  readonly key?: Key;

  constructor(scope: Construct, id: string, { config }: ResultsStoreProps) {
    super(scope, id);
    const removalPolicy = config.removal === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    if (config.encryption === 'customer-key') {
      this.key = new Key(this, 'Key', {
        description: `Assay ${config.stage}: datasets, runs and results`,
        enableKeyRotation: true,
        removalPolicy,
      });
    }
    this.bucket = this.createBucket(config, removalPolicy);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      // Sparse: only items that carry both keys appear (open runs, failed rows first); whole items are read by key.
      globalSecondaryIndexes: [
        {
          indexName: 'gsi1',
          partitionKey: { name: 'gsi1pk', type: AttributeType.STRING },
          sortKey: { name: 'gsi1sk', type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      timeToLiveAttribute: 'ttl',
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: config.deletionProtection,
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      removalPolicy,
    });
    if (this.key !== undefined) encryptTable(this.table, this.key);
  }

  /** Exact object actions, a folder at a time. */
  grantObjects(grantee: IGrantable, access: ObjectAccess): void {
    for (const [folder, verbs] of Object.entries(access)) {
      this.allow(
        grantee,
        verbs.flatMap((verb) => OBJECT_ACTIONS[verb]),
        [this.bucket.arnForObjects(`${folder}/*`)],
      );
    }
    // Without it S3 answers 403 instead of 404 for an object that does not exist, and "not there" is a state here.
    // A condition on the prefix would undo that: GetObject sends none.
    this.allow(grantee, ['s3:ListBucket'], [this.bucket.bucketArn]);
    this.grantKey(grantee);
  }

  /** Reads by key and these writes, never Scan, never the table itself; through the index where lists are read (`index`). */
  grantItems(grantee: IGrantable, access: { readonly writes: readonly ItemWrite[]; readonly index?: true }): void {
    const writes = access.writes.map((write) => ITEM_ACTIONS[write]);
    this.allow(grantee, [...TABLE_READ, ...writes], [this.table.tableArn]);
    if (access.index) this.allow(grantee, ['dynamodb:Query'], [`${this.table.tableArn}/index/gsi1`]);
    this.grantKey(grantee);
  }

  /** For whoever reads or writes the bucket without `grantObjects` (Step Functions' reader and writer). */
  grantKey(grantee: IGrantable): void {
    if (this.key === undefined) return;
    this.allow(grantee, KEY_USE, [this.key.keyArn]);
  }

  private allow(grantee: IGrantable, actions: string[], resources: string[]): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources }));
  }

  private createBucket(config: StageConfig, removalPolicy: RemovalPolicy): Bucket {
    const { noncurrentDays, uploadDays, scratchDays } = config.storage;
    return new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      encryption: this.key ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
      encryptionKey: this.key,
      bucketKeyEnabled: this.key !== undefined,
      removalPolicy,
      lifecycleRules: [
        { id: 'raw-uploads', prefix: 'uploads/', expiration: Duration.days(uploadDays) },
        { id: 'half-compacted', prefix: 'compacting/', expiration: Duration.days(scratchDays) },
        { id: 'map-records', prefix: 'map-results/', expiration: Duration.days(scratchDays) },
        { id: 'query-results', prefix: 'athena-results/', expiration: Duration.days(scratchDays) },
        {
          id: 'old-versions',
          noncurrentVersionExpiration: Duration.days(noncurrentDays),
          expiredObjectDeleteMarker: true,
        },
        { id: 'broken-uploads', abortIncompleteMultipartUploadAfter: Duration.days(uploadDays) },
      ],
    });
  }
}

/** CDK's customer-managed encryption wants to know the Region at synth; ours is that of whoever deploys. */
function encryptTable(table: TableV2, key: Key): void {
  const resource = table.node.defaultChild as CfnGlobalTable;
  resource.sseSpecification = { sseEnabled: true, sseType: 'KMS' };
  resource.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', key.keyArn);
}
