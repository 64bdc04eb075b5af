import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from './api.ts';
import { OPERATIONS, operationOf } from './fuzz/described.ts';
import { type Draft, drafts, requestOf } from './fuzz/requests.ts';
import { faultsOfAnswer, holdsBank } from './fuzz/verdict.ts';
import { type Ids, makeWorld, type World } from './fuzz/world.ts';

/** Cases of each property; more where a machine has the time for it: ASSAY_FUZZ_RUNS=20000 ASSAY_FUZZ_SEED=… */
const RUNS = Number(process.env.ASSAY_FUZZ_RUNS ?? 400);
/** The same cases every time, unless another seed is asked for; a failure prints its seed and its smallest case. */
const SEED = Number(process.env.ASSAY_FUZZ_SEED ?? 20_261_130);
const settings = { numRuns: RUNS, seed: SEED };
const TIME_MS = 60_000 + RUNS * 100;

let bank: Ids;
beforeAll(async () => {
  const world = await makeWorld({ withBank: true });
  if (world.bank === null) throw new Error('no bank');
  bank = world.bank;
});

/** What is asked and answered, small enough to read. */
async function ask(draft: Draft, world: World): Promise<{ answer: Answer; faults: string[] }> {
  const request = requestOf(draft, world, bank);
  const answer = await world.api.send(request.event);
  return { answer, faults: faultsOfAnswer(operationOf(draft.operation), request, answer, world) };
}

describe('whatever is asked of the API by its own document', () => {
  it(
    'is answered as the document tells, never by a failure of ours, and tells nothing of the inside',
    async () => {
      const reached = new Set<string>();
      await fc.assert(
        fc.asyncProperty(drafts(), async (draft) => {
          const world = await makeWorld({ withBank: true });
          const { answer, faults } = await ask(draft, world);
          expect(faults, `${draft.operation}: ${answer.status} ${answer.text.slice(0, 500)}`).toEqual([]);
          if (answer.status < 400) reached.add(draft.operation);
        }),
        settings,
      );
      // Enough of it is taken to be worth something.
      expect(reached.size).toBeGreaterThan(OPERATIONS.length * (RUNS < 1_000 ? 0.7 : 0.9));
    },
    TIME_MS,
  );

  it(
    'shows the holder of a token of one project nothing of another, not even that it is there',
    async () => {
      const theirs = drafts({
        operations: OPERATIONS.filter(({ operationId }) => !operationId.endsWith('Link')),
        proofs: fc.constantFrom('writer', 'writer', 'reader', 'webhook', 'signed'),
        names: fc.constantFrom({ of: 'bank' }, { of: 'bank' }, { of: 'bank' }, { of: 'shop' }),
      });
      await fc.assert(
        fc.asyncProperty(theirs, async (draft) => {
          const withBank = await ask(draft, await makeWorld({ withBank: true }));
          const without = await ask(draft, await makeWorld({ withBank: false }));
          expect(holdsBank(withBank.answer)).toBe(false);
          expect(withBank.answer).toEqual(without.answer);
        }),
        settings,
      );
    },
    TIME_MS,
  );

  it(
    'is refused to a token that reads where the document says that it writes, and only there',
    async () => {
      const managed = OPERATIONS.filter((operation) => operation['x-assay-access'] !== undefined);
      await fc.assert(
        fc.asyncProperty(drafts({ operations: managed, proofs: fc.constant('reader') }), async (draft) => {
          const world = await makeWorld({ withBank: true });
          const { answer } = await ask(draft, world);
          const code = answer.status >= 400 ? answer.json.code : '';
          if (operationOf(draft.operation)['x-assay-access'] === 'write')
            expect([answer.status, code]).toEqual([403, 'read-only']);
          else expect(code).not.toBe('read-only');
        }),
        settings,
      );
    },
    TIME_MS,
  );
});
