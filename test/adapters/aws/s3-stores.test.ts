import { S3DatasetStore } from '../../../src/adapters/aws/s3-dataset-store.ts';
import { S3ResultParts } from '../../../src/adapters/aws/s3-result-parts.ts';
import { S3RunStore } from '../../../src/adapters/aws/s3-run-store.ts';
import { datasetStoreContract } from '../../contracts/dataset-store.ts';
import { resultPartsContract } from '../../contracts/result-parts.ts';
import { runStoreContract } from '../../contracts/run-store.ts';
import { LocalBuckets } from './local-cloud.ts';

const buckets = new LocalBuckets();

runStoreContract('S3RunStore', async () => new S3RunStore(await buckets.objects(), 'shop'), buckets.stop);
resultPartsContract('S3ResultParts', async () => new S3ResultParts(await buckets.objects()), buckets.stop);
datasetStoreContract(
  'S3DatasetStore',
  async () => ({ store: new S3DatasetStore(await buckets.objects()), putPart: put }),
  buckets.stop,
);

async function put(url: string, bytes: Uint8Array): Promise<void> {
  const reply = await fetch(url, { method: 'PUT', body: Uint8Array.from(bytes) });
  if (!reply.ok) throw new Error(`PUT ${url}: ${reply.status} ${await reply.text()}`);
}
