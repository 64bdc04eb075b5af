import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { DynamoRegistry } from '../../../src/adapters/aws/dynamo-registry.ts';
import { DynamoRowIndex } from '../../../src/adapters/aws/dynamo-row-index.ts';
import { objectKeys } from '../../../src/adapters/aws/object-keys.ts';
import { S3DatasetStore } from '../../../src/adapters/aws/s3-dataset-store.ts';
import { S3ResultParts } from '../../../src/adapters/aws/s3-result-parts.ts';
import { S3RunStore } from '../../../src/adapters/aws/s3-run-store.ts';
import { LocalBuckets, LocalTables, ManualClock } from '../../adapters/aws/local-cloud.ts';
import { operationOf } from './fuzz/described.ts';
import { drafts, requestOf } from './fuzz/requests.ts';
import { faultsOfAnswer } from './fuzz/verdict.ts';
import { makeWorld } from './fuzz/world.ts';

const RUNS = Number(process.env.ASSAY_FUZZ_RUNS ?? 400);
const SEED = Number(process.env.ASSAY_FUZZ_SEED ?? 20_261_130);
/** What a call deletes stays away from those after it: a new world before everything is gone. */
const CASES_A_WORLD = 50;
const WORLDS = Math.ceil(RUNS / 4 / CASES_A_WORLD);

const tables = new LocalTables();
const buckets = new LocalBuckets();
afterAll(async () => {
  await tables.stop();
  await buckets.stop();
});

async function storedWorld() {
  const clock = new ManualClock();
  const table = await tables.table(clock);
  const objects = await buckets.objects();
  return makeWorld({
    withBank: true,
    changes: {
      clock,
      registry: new DynamoRegistry(table, clock),
      rowIndex: new DynamoRowIndex(table),
      datasets: new S3DatasetStore(objects),
      parts: new S3ResultParts(objects),
      runs: (project) => new S3RunStore(objects, project),
      openReport: async (project, runId, file) => {
        const key = objectKeys.runFile(project, runId, file);
        return (await objects.readRange(key, 0, 1)) === null ? null : { url: await objects.presignGet(key, 60) };
      },
    },
  });
}

describe('whatever is asked of the API on DynamoDB and S3', () => {
  it(
    'is answered as the document tells, never by a failure of ours, and tells nothing of the inside',
    async () => {
      for (let round = 0; round < WORLDS; round += 1) {
        const world = await storedWorld();
        const { bank } = world;
        if (bank === null) throw new Error('no bank');
        await fc.assert(
          fc.asyncProperty(drafts(), async (draft) => {
            const request = requestOf(draft, world, bank);
            const answer = await world.api.send(request.event);
            const faults = faultsOfAnswer(operationOf(draft.operation), request, answer, world);
            expect(faults, `${draft.operation}: ${answer.status} ${answer.text.slice(0, 500)}`).toEqual([]);
          }),
          // A world that has changed answers otherwise: nothing to shrink by.
          { numRuns: CASES_A_WORLD, seed: SEED + round, endOnFailure: true },
        );
      }
    },
    60_000 + RUNS * 200,
  );
});
