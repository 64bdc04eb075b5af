import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Emulator, EmulatorOptions } from './emulator.ts';
import { missingPackage } from './emulator.ts';

interface BucketStore {
  persistence: unknown;
  createBucket(name: string): void;
}
interface App {
  addHook(name: 'preClose', hook: (done: () => void) => void): void;
  listen(options: { port: number; host: string }): Promise<string>;
  close(): Promise<void>;
}
interface FilePersistence {
  loadS3(store: BucketStore): void;
  close(): void;
}
interface Fauxqs {
  buildApp(options: { logger: boolean; stores: Record<string, unknown> }): App;
  S3Store: new () => BucketStore;
  SqsStore: new () => unknown;
  SnsStore: new () => unknown;
  FileS3Persistence: new (path: string) => FilePersistence;
}

/**
 * S3 with one bucket, an object a plain file at `<path>/buckets/<bucket>/objects/<key>.data`.
 * Put together from the emulator's parts, since its own start listens on every interface of the machine.
 */
export async function startS3(options: EmulatorOptions & { bucket: string }): Promise<Emulator> {
  const fauxqs = await loadFauxqs();
  const temporary = options.path === undefined ? await mkdtemp(join(tmpdir(), 'assay-s3-')) : undefined;
  const store = new fauxqs.S3Store();
  const files = new fauxqs.FileS3Persistence(options.path ?? (temporary as string));
  files.loadS3(store);
  store.persistence = files;
  store.createBucket(options.bucket);
  const stores = { s3Store: store, sqsStore: new fauxqs.SqsStore(), snsStore: new fauxqs.SnsStore() };
  const app = fauxqs.buildApp({ logger: false, stores });
  const stop = async () => {
    await app.close();
    files.close();
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  };
  try {
    return { endpoint: await app.listen({ port: options.port ?? 0, host: '127.0.0.1' }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function loadFauxqs(): Promise<Fauxqs> {
  const name = 'fauxqs';
  try {
    const main = import.meta.resolve(name);
    const part = async (path: string) => import(pathToFileURL(fileURLToPath(new URL(path, main))).href);
    const [app, s3, sqs, sns, files] = await Promise.all(
      ['./app.js', './s3/s3Store.js', './sqs/sqsStore.js', './sns/snsStore.js', './s3/fileS3Persistence.js'].map(part),
    );
    return { ...app, ...s3, ...sqs, ...sns, ...files } as Fauxqs;
  } catch (error) {
    throw missingPackage(name, error);
  }
}
