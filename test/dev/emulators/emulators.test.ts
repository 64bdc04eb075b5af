import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dynamoHandle, s3Handle } from '../../../src/adapters/aws/clients.ts';
import { startDynamo } from '../../../src/dev/emulators/dynamo.ts';
import { missingPackage } from '../../../src/dev/emulators/emulator.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../../src/dev/emulators/local-account.ts';
import { startS3 } from '../../../src/dev/emulators/s3.ts';

const TABLE = 'assay-dev';
const BUCKET = 'assay-dev';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-emulators-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const local = (endpoint: string) => ({
  endpoint,
  region: LOCAL_REGION,
  credentials: LOCAL_CREDENTIALS,
  maxAttempts: 1,
});

describe('the DynamoDB emulator', () => {
  const put = async (endpoint: string, pk: string) => {
    const { sdk, client } = await dynamoHandle(local(endpoint))();
    await client.send(new sdk.PutCommand({ TableName: TABLE, Item: { pk, sk: 'a', gsi1pk: 'open', gsi1sk: pk } }));
  };
  const indexed = async (endpoint: string) => {
    const { sdk, client } = await dynamoHandle(local(endpoint))();
    const command = new sdk.QueryCommand({
      TableName: TABLE,
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :open',
      ExpressionAttributeValues: { ':open': 'open' },
    });
    return (await client.send(command)).Items?.map((item) => item.pk);
  };

  it('keeps its table under its path, and gives its port back', async () => {
    const path = join(folder, 'dynamo');
    const first = await startDynamo({ tableName: TABLE, path });
    await put(first.endpoint, 'one');
    await first.stop();
    const second = await startDynamo({ tableName: TABLE, path, port: Number(new URL(first.endpoint).port) });
    expect(second.endpoint).toBe(first.endpoint);
    await put(second.endpoint, 'two');
    expect(await indexed(second.endpoint)).toEqual(['one', 'two']);
    await second.stop();
  });

  it('forgets all without a path', async () => {
    for (let round = 0; round < 2; round += 1) {
      const emulator = await startDynamo({ tableName: TABLE });
      expect(await indexed(emulator.endpoint)).toEqual([]);
      await put(emulator.endpoint, 'one');
      await emulator.stop();
    }
  });

  it('says when its port is taken', async () => {
    const first = await startDynamo({ tableName: TABLE });
    const port = Number(new URL(first.endpoint).port);
    await expect(startDynamo({ tableName: TABLE, port })).rejects.toThrow('EADDRINUSE');
    await first.stop();
  });
});

describe('the S3 emulator', () => {
  const put = async (endpoint: string, Key: string) => {
    const { sdk, client } = await s3Handle(local(endpoint))();
    await client.send(new sdk.PutObjectCommand({ Bucket: BUCKET, Key, Body: 'content' }));
  };
  const list = async (endpoint: string) => {
    const { sdk, client } = await s3Handle(local(endpoint))();
    const page = await client.send(new sdk.ListObjectsV2Command({ Bucket: BUCKET }));
    return (page.Contents ?? []).map((object) => object.Key);
  };

  it('keeps its objects as plain files under its path, and gives its port back', async () => {
    const path = join(folder, 's3');
    const first = await startS3({ bucket: BUCKET, path });
    await put(first.endpoint, 'results/dt=2026-11-30/part-00000000.jsonl.gz');
    await first.stop();
    const file = join(path, 'buckets', BUCKET, 'objects', 'results/dt=2026-11-30/part-00000000.jsonl.gz.data');
    await expect(access(file)).resolves.toBeUndefined();
    const second = await startS3({ bucket: BUCKET, path, port: Number(new URL(first.endpoint).port) });
    expect(await list(second.endpoint)).toEqual(['results/dt=2026-11-30/part-00000000.jsonl.gz']);
    await second.stop();
  });

  it('forgets all without a path', async () => {
    for (let round = 0; round < 2; round += 1) {
      const emulator = await startS3({ bucket: BUCKET });
      expect(await list(emulator.endpoint)).toEqual([]);
      await put(emulator.endpoint, 'a');
      await emulator.stop();
    }
  });

  it('says when its port is taken', async () => {
    const first = await startS3({ bucket: BUCKET });
    const port = Number(new URL(first.endpoint).port);
    await expect(startS3({ bucket: BUCKET, port })).rejects.toThrow('EADDRINUSE');
    await first.stop();
  });
});

it('a missing emulator says what to install', () => {
  expect(missingPackage('dynalite', undefined).message).toContain('npm install --save-dev dynalite');
});
