import { objectKeys } from '../../../src/adapters/aws/object-keys.ts';
import { S3CompactedResults } from '../../../src/adapters/aws/s3-compacted-results.ts';
import { S3DatasetStore } from '../../../src/adapters/aws/s3-dataset-store.ts';
import { S3ResultParts } from '../../../src/adapters/aws/s3-result-parts.ts';
import { S3RunStore } from '../../../src/adapters/aws/s3-run-store.ts';
import { readText } from '../../../src/core/read-text.ts';
import { compactedResultsContract } from '../../contracts/compacted-results.ts';
import { datasetStoreContract } from '../../contracts/dataset-store.ts';
import { RUN, resultPartsContract } from '../../contracts/result-parts.ts';
import { runStoreContract } from '../../contracts/run-store.ts';
import { LocalBuckets } from './local-cloud.ts';

const buckets = new LocalBuckets();

runStoreContract('S3RunStore', async () => new S3RunStore(await buckets.objects(), 'shop'), buckets.stop);
resultPartsContract('S3ResultParts', async () => new S3ResultParts(await buckets.objects()), buckets.stop);
compactedResultsContract(
  'S3CompactedResults',
  async () => {
    const objects = await buckets.objects();
    const publishedFiles = async () => {
      const listed = await objects.list(objectKeys.parquet(RUN));
      return Promise.all(
        listed.map(async ({ key }) => {
          const fromPart = Number(/(\d{8})-\d{8}\.parquet$/.exec(key)?.[1]);
          return [fromPart, await readText((await objects.read(key)) ?? absent())] as const;
        }),
      );
    };
    return { compacted: new S3CompactedResults(objects), parts: new S3ResultParts(objects), publishedFiles };
  },
  buckets.stop,
);
datasetStoreContract(
  'S3DatasetStore',
  async () => ({ store: new S3DatasetStore(await buckets.objects()), putPart: put }),
  buckets.stop,
);

async function put(url: string, bytes: Uint8Array): Promise<void> {
  const reply = await fetch(url, { method: 'PUT', body: Uint8Array.from(bytes) });
  if (!reply.ok) throw new Error(`PUT ${url}: ${reply.status} ${await reply.text()}`);
}

function absent(): never {
  throw new Error('the object has vanished');
}
