import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { dynamoHandle, s3Handle } from '../../../src/adapters/aws/clients.ts';
import { DynamoTable } from '../../../src/adapters/aws/dynamo-table.ts';
import { S3Objects } from '../../../src/adapters/aws/s3-objects.ts';
import { startDynamo } from '../../../src/dev/emulators/dynamo.ts';
import type { Emulator } from '../../../src/dev/emulators/emulator.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../../src/dev/emulators/local-account.ts';
import { startS3 } from '../../../src/dev/emulators/s3.ts';
import type { Clock } from '../../../src/ports/clock.ts';

export const TABLE = 'assay-test';

/** Time that only moves when told to; waiting takes none and is written down. */
export class ManualClock implements Clock {
  readonly waits: number[] = [];
  private time = Date.UTC(2026, 10, 30, 10);
  now(): number {
    return this.time;
  }
  monotonicMs(): number {
    return this.time;
  }
  async sleep(ms: number): Promise<void> {
    this.waits.push(ms);
  }
  advanceMs(ms: number): void {
    this.time += ms;
  }
}

/** A table of its own for each test, through the real SDK. */
export class LocalTables {
  private emulator: Emulator | undefined;

  async table(clock: Clock = new ManualClock()): Promise<DynamoTable> {
    const dynamo = dynamoHandle(await this.fresh());
    return new DynamoTable({ tableName: TABLE, dynamo, clock, random: () => 0.5 });
  }

  /** Where an empty table is. */
  async fresh() {
    await this.stop();
    this.emulator = await startDynamo({ tableName: TABLE });
    return local(this.emulator.endpoint);
  }

  readonly stop = async (): Promise<void> => {
    await this.emulator?.stop();
    this.emulator = undefined;
  };
}

/** One emulator for a file of tests, a bucket of its own for each test. */
export class LocalBuckets {
  private emulator: Emulator | undefined;
  private buckets = 0;

  async settings() {
    this.emulator ??= await startS3({ bucket: 'assay-first' });
    return local(this.emulator.endpoint);
  }

  async objects(): Promise<S3Objects> {
    const s3 = s3Handle(await this.settings());
    const bucket = await this.newBucket();
    return new S3Objects({ bucket, s3 });
  }

  async newBucket(): Promise<string> {
    this.buckets += 1;
    const bucket = `assay-${this.buckets}`;
    const { client } = await s3Handle(await this.settings())();
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return bucket;
  }

  readonly stop = async (): Promise<void> => {
    await this.emulator?.stop();
    this.emulator = undefined;
  };
}

export function local(endpoint: string) {
  return { endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS };
}
