import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { TABLE_KEYS } from '../../src/adapters/aws/table-keys.ts';
import { onlyResource, resourcesOf, synthStage } from './synth.ts';

const STATEFUL = ['AWS::S3::Bucket', 'AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key'];
const { storage } = synthStage();
const keyed = synthStage({ encryption: 'customer-key' }).storage;
const disposable = synthStage({ removal: 'destroy', encryption: 'customer-key' }).storage;

describe('bucket', () => {
  it.each([{ Bool: { 'aws:SecureTransport': 'false' } }, { NumericLessThan: { 's3:TlsVersion': 1.2 } }])(
    'denies everything to a caller with %j',
    (condition) => {
      storage.hasResourceProperties('AWS::S3::BucketPolicy', {
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({ Effect: 'Deny', Action: 's3:*', Principal: { AWS: '*' }, Condition: condition }),
          ]),
        },
      });
    },
  );

  it('is closed to the public and knows no ACLs', () => {
    storage.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    });
  });

  it.each(['uploads/', 'map-results/', 'athena-results/'])('lets %s expire', (Prefix) => {
    storage.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: Match.arrayWith([Match.objectLike({ Prefix, ExpirationInDays: Match.anyValue(), Status: 'Enabled' })]),
      },
    });
  });

  it('keeps datasets, runs and results, and old versions for a week', () => {
    const bucket = onlyResource(storage, 'AWS::S3::Bucket');
    const { Rules } = bucket.Properties.LifecycleConfiguration as { Rules: Record<string, unknown>[] };
    const expiring = Rules.filter((rule) => 'ExpirationInDays' in rule).map((rule) => rule.Prefix);
    expect(expiring.sort()).toEqual(['athena-results/', 'compacting/', 'map-results/', 'uploads/']);
    expect(bucket.Properties.VersioningConfiguration).toEqual({ Status: 'Enabled' });
    expect(Rules).toContainEqual(expect.objectContaining({ NoncurrentVersionExpiration: { NoncurrentDays: 7 } }));
  });
});

describe('table', () => {
  it('has the keys, the index and the TTL that the adapters write', () => {
    const { partitionKey, sortKey, index, indexPartitionKey, indexSortKey } = TABLE_KEYS;
    storage.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: keySchema(partitionKey, sortKey),
      GlobalSecondaryIndexes: [
        {
          IndexName: index,
          KeySchema: keySchema(indexPartitionKey, indexSortKey),
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      BillingMode: 'PAY_PER_REQUEST',
    });
  });

  it('can be restored to a point in time and not be deleted', () => {
    storage.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [
        Match.objectLike({
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ],
    });
  });
});

describe('removal', () => {
  it.each(STATEFUL)('keeps %s by default, also when it is replaced', (type) => {
    const found = resourcesOf(keyed, type);
    expect(found).toHaveLength(1);
    for (const [, resource] of found) {
      expect(resource).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
  });

  it.each(STATEFUL)('deletes %s only where the stage says so', (type) => {
    for (const [, resource] of resourcesOf(disposable, type)) expect(resource.DeletionPolicy).toBe('Delete');
  });

  it('deletes the token, whose fixed name would stop the next deploy', () => {
    storage.hasResource('AWS::SecretsManager::Secret', { DeletionPolicy: 'Delete' });
  });

  it('gives no name to what is kept, so that a second deploy makes its own', () => {
    for (const [, { Properties }] of STATEFUL.flatMap((type) => resourcesOf(keyed, type))) {
      expect(Properties.BucketName ?? Properties.TableName).toBeUndefined();
    }
  });
});

describe('encryption', () => {
  it('uses S3 keys by default', () => {
    storage.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          Match.objectLike({ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }),
        ],
      },
    });
  });

  it('uses one rotating key for bucket and table when asked to', () => {
    keyed.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    keyed.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          { BucketKeyEnabled: true, ServerSideEncryptionByDefault: Match.objectLike({ SSEAlgorithm: 'aws:kms' }) },
        ],
      },
    });
    keyed.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    });
  });
});

describe('API token', () => {
  it('is made at deploy, 43 characters of letters and digits', () => {
    storage.hasResourceProperties('AWS::SecretsManager::Secret', {
      Name: 'assay/_system/api-token',
      GenerateSecretString: { PasswordLength: 43, ExcludePunctuation: true },
    });
  });

  it('does not exist where IAM proves management calls', () => {
    const names = Object.values(
      synthStage({ api: { auth: 'iam' } }).storage.findResources('AWS::SecretsManager::Secret'),
    ).map(({ Properties }) => Properties.Name);
    expect(names).toEqual(['assay/_system/report-links']);
  });
});

it('makes what links to reports are signed with, as the API reads and rotates it', () => {
  storage.hasResourceProperties('AWS::SecretsManager::Secret', {
    Name: 'assay/_system/report-links',
    GenerateSecretString: {
      SecretStringTemplate: '{}',
      GenerateStringKey: 'current',
      PasswordLength: 43,
      ExcludePunctuation: true,
    },
  });
});

it('names bucket, table and token in its outputs', () => {
  expect(Object.keys(storage.findOutputs('*'))).toEqual(
    expect.arrayContaining(['BucketName', 'TableName', 'ApiTokenSecret']),
  );
});

function keySchema(partitionKey: string, sortKey: string) {
  return [
    { AttributeName: partitionKey, KeyType: 'HASH' },
    { AttributeName: sortKey, KeyType: 'RANGE' },
  ];
}
