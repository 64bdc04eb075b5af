import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../../src/core/errors.ts';
import type { ApiToken } from '../../src/core/schemas/api-token.ts';
import type { BaselinePin } from '../../src/core/schemas/baseline-pin.ts';
import type { Registry } from '../../src/ports/registry.ts';
import { aDataset, aGate, anEval, aProject, aRun, aRunId, counters, RUN_ID } from './samples.ts';

export interface RegistryUnderTest {
  readonly registry: Registry;
  /** Moves the clock that the registry reads. */
  advanceMs(ms: number): void;
}

/** `makeRegistry` gives an empty registry each time. */
export function registryContract(
  name: string,
  makeRegistry: () => Promise<RegistryUnderTest>,
  stop: () => Promise<void> = async () => undefined,
): void {
  describe(`${name} as a Registry`, () => {
    let registry: Registry;
    let advanceMs: (ms: number) => void;
    beforeEach(async () => {
      ({ registry, advanceMs } = await makeRegistry());
    });
    afterAll(stop);

    describe('projects', () => {
      it('creates a project once', async () => {
        expect(await registry.createProject(aProject())).toBe(true);
        expect(await registry.createProject(aProject({ name: 'Another' }))).toBe(false);
        expect(await registry.getProject('shop')).toEqual(aProject());
      });

      it('replaces a project', async () => {
        const changed = aProject({ name: 'Shop 2', default_judge: { type: 'lexical', nested: [[[1]]] } });
        await registry.putProject(aProject());
        await registry.putProject(changed);
        expect(await registry.getProject('shop')).toEqual(changed);
      });

      it('lists projects by id, and knows no other', async () => {
        for (const id of ['b', 'a-2', 'a']) await registry.putProject(aProject({ id }));
        expect((await registry.listProjects()).map((project) => project.id)).toEqual(['a', 'a-2', 'b']);
        expect(await registry.getProject('c')).toBeNull();
      });

      it('lets one of many creators win', async () => {
        const creators = Array.from({ length: 8 }, (_, index) =>
          registry.createProject(aProject({ name: `P${index}` })),
        );
        expect((await Promise.all(creators)).filter(Boolean)).toHaveLength(1);
      });
    });

    describe('evals', () => {
      it('begins with version 1 and goes on by one', async () => {
        expect(await registry.addEvalVersion(anEval(2))).toBe(false);
        expect(await registry.addEvalVersion(anEval(1))).toBe(true);
        expect(await registry.addEvalVersion(anEval(1))).toBe(false);
        expect(await registry.addEvalVersion(anEval(3))).toBe(false);
        expect(await registry.addEvalVersion(anEval(2))).toBe(true);
      });

      it('gives the newest version, or the one asked for, as it was put', async () => {
        for (let version = 1; version <= 11; version += 1) await registry.addEvalVersion(anEval(version));
        expect(await registry.getEval('shop', 'support-faq')).toEqual(anEval(11));
        expect(await registry.getEval('shop', 'support-faq', 2)).toEqual(anEval(2));
        expect(await registry.getEval('shop', 'support-faq', 12)).toBeNull();
        expect(await registry.getEval('shop', 'support-faq', 0)).toBeNull();
        expect(await registry.getEval('other', 'support-faq')).toBeNull();
      });

      it('lets one of two writers of the same version win', async () => {
        const writers = [1, 2, 3, 4].map((number) =>
          registry.addEvalVersion(anEval(1, { config_hash: `by ${number}` })),
        );
        expect((await Promise.all(writers)).filter(Boolean)).toHaveLength(1);
      });

      it('lists the newest version of each eval of the project', async () => {
        await registry.addEvalVersion(anEval(1));
        await registry.addEvalVersion(anEval(2));
        await registry.addEvalVersion(anEval(1, { name: 'a-tone' }));
        await registry.addEvalVersion(anEval(1, { project: 'shop-2' }));
        const found = await registry.listEvals('shop');
        expect(found.map((entry) => [entry.name, entry.version])).toEqual([
          ['a-tone', 1],
          ['support-faq', 2],
        ]);
      });

      it('forgets a deleted eval, which may then begin again', async () => {
        for (const version of [1, 2, 3]) await registry.addEvalVersion(anEval(version));
        await registry.deleteEval('shop', 'support-faq');
        expect(await registry.getEval('shop', 'support-faq')).toBeNull();
        expect(await registry.getEval('shop', 'support-faq', 1)).toBeNull();
        expect(await registry.listEvals('shop')).toEqual([]);
        await registry.deleteEval('shop', 'support-faq');
        expect(await registry.addEvalVersion(anEval(1))).toBe(true);
      });

      it('stores a configuration far beyond a few kilobytes', async () => {
        const config = { ...anEval(1).config, rubric: 'Answers cite the policy. '.repeat(8_000) };
        expect(await registry.addEvalVersion(anEval(1, { config }))).toBe(true);
        expect((await registry.getEval('shop', 'support-faq'))?.config.rubric).toBe(config.rubric);
      });
    });

    describe('datasets', () => {
      const older = aDataset({ version: 'b'.repeat(64), created_at: '2026-11-01T00:00:00.000Z' });

      it('gives the newest ready version, or the one asked for', async () => {
        await registry.putDatasetVersion(aDataset());
        await registry.putDatasetVersion(older);
        await registry.putDatasetVersion(
          aDataset({ version: '', upload_id: 'u-1', status: 'processing', created_at: '2026-11-09T00:00:00.000Z' }),
        );
        expect(await registry.getDataset('shop', 'faq')).toEqual(aDataset());
        expect(await registry.getDataset('shop', 'faq', 'b'.repeat(64))).toEqual(older);
        expect(await registry.getDataset('shop', 'faq', 'c'.repeat(64))).toBeNull();
        expect(await registry.getDataset('shop', 'none')).toBeNull();
      });

      it('finds an upload by its id until and after it is ready', async () => {
        const upload = aDataset({ version: '', upload_id: 'u-1', status: 'processing', rows: 0 });
        await registry.putDatasetVersion(upload);
        expect(await registry.getDataset('shop', 'faq', 'u-1')).toEqual(upload);
        expect(await registry.getDataset('shop', 'faq')).toBeNull();
        const ready = aDataset({ upload_id: 'u-1' });
        await registry.putDatasetVersion(ready);
        expect(await registry.getDataset('shop', 'faq', 'u-1')).toEqual(ready);
        expect(await registry.getDataset('shop', 'faq', ready.version)).toEqual(ready);
        expect(await registry.listDatasetVersions('shop', 'faq')).toEqual([ready]);
      });

      it('keeps the faults of an invalid upload', async () => {
        const faults = ['line 3, column "a\nb": no row', 'ü'.repeat(5_000)];
        const invalid = aDataset({ version: '', upload_id: 'u-2', status: 'invalid', faults });
        await registry.putDatasetVersion(invalid);
        expect(await registry.getDataset('shop', 'faq', 'u-2')).toEqual(invalid);
        expect(await registry.listDatasets('shop')).toEqual([invalid]);
      });

      it('makes content that is uploaded again the newest again', async () => {
        await registry.putDatasetVersion(aDataset({ upload_id: 'u-1' }));
        await registry.putDatasetVersion(aDataset({ version: 'd'.repeat(64), created_at: '2026-11-03T00:00:00.000Z' }));
        const again = aDataset({ upload_id: 'u-3', created_at: '2026-11-04T00:00:00.000Z' });
        await registry.putDatasetVersion(again);
        expect(await registry.getDataset('shop', 'faq')).toEqual(again);
        expect(await registry.listDatasetVersions('shop', 'faq')).toHaveLength(2);
        expect((await registry.getDataset('shop', 'faq', 'u-1'))?.version).toBe(again.version);
      });

      it('lists one version a dataset, and all versions of one, newest first', async () => {
        await registry.putDatasetVersion(older);
        await registry.putDatasetVersion(aDataset());
        await registry.putDatasetVersion(aDataset({ id: 'another' }));
        expect((await registry.listDatasets('shop')).map((found) => [found.id, found.version[0]])).toEqual([
          ['another', 'a'],
          ['faq', 'a'],
        ]);
        expect((await registry.listDatasetVersions('shop', 'faq')).map((found) => found.version[0])).toEqual([
          'a',
          'b',
        ]);
      });

      it('forgets a deleted dataset with its versions and uploads', async () => {
        await registry.putDatasetVersion(older);
        await registry.putDatasetVersion(aDataset({ upload_id: 'u-1' }));
        await registry.deleteDataset('shop', 'faq');
        expect(await registry.getDataset('shop', 'faq')).toBeNull();
        expect(await registry.getDataset('shop', 'faq', 'u-1')).toBeNull();
        expect(await registry.listDatasets('shop')).toEqual([]);
      });
    });

    describe('runs', () => {
      it('creates a run once', async () => {
        expect(await registry.createRun(aRun())).toBe(true);
        expect(await registry.createRun(aRun({ message: 'again' }))).toBe(false);
        expect(await registry.getRun(RUN_ID)).toEqual(aRun());
        expect(await registry.getRun(aRunId(9))).toBeNull();
      });

      it('changes what is named and nothing else', async () => {
        await registry.createRun(aRun());
        const decision = {
          outcome: 'fail' as const,
          policy_hash: 'p',
          reasons: [
            { rule: 'min_score', outcome: 'fail' as const, text: '0.79 is below 0.8', actual: 0.79, limit: 0.8 },
          ],
        };
        const change = {
          status: 'failed' as const,
          score: 0.1 + 0.2,
          pass_rate: 1 / 3,
          decision,
          message: 'ä\n',
          finished_at: '2026-11-30T10:05:00.000Z',
          earlier: [{ attempt: 1, status: 'error' as const, message: '' }],
          ref: undefined,
        };
        const { ref: _, ...changed } = change;
        const expected = { ...aRun(), ...changed };
        expect(await registry.updateRun(RUN_ID, ['queued', 'running'], change)).toEqual(expected);
        expect(await registry.getRun(RUN_ID)).toEqual(expected);
      });

      it('refuses a change from another status', async () => {
        await registry.createRun(aRun({ status: 'passed' }));
        expect(await registry.updateRun(RUN_ID, ['queued', 'running'], { status: 'error' })).toBeNull();
        expect(await registry.updateRun(RUN_ID, [], { status: 'error' })).toBeNull();
        expect(await registry.updateRun(aRunId(9), ['queued'], { status: 'error' })).toBeNull();
        expect((await registry.getRun(RUN_ID))?.status).toBe('passed');
      });

      it('lets one of many finish a run', async () => {
        await registry.createRun(aRun({ status: 'running' }));
        const finishers = (['passed', 'failed', 'error', 'cancelled'] as const).map((status) =>
          registry.updateRun(RUN_ID, ['running'], { status }),
        );
        const winners = (await Promise.all(finishers)).filter((run) => run !== null);
        expect(winners).toHaveLength(1);
        expect(await registry.getRun(RUN_ID)).toEqual(winners[0]);
      });

      it('refuses to give a run another identity', async () => {
        await registry.createRun(aRun());
        const change = registry.updateRun(RUN_ID, ['queued'], { started_at: '2026-12-01T00:00:00.000Z' });
        await expect(change).rejects.toThrow('started_at cannot change');
        expect(await registry.updateRun(RUN_ID, ['queued'], aRun({ status: 'running' }))).toMatchObject({
          status: 'running',
        });
      });

      it('lists the runs that are open, oldest first', async () => {
        await registry.createRun(aRun({ run_id: aRunId(1), started_at: '2026-11-30T10:00:02.000Z' }));
        await registry.createRun(aRun({ run_id: aRunId(2), started_at: '2026-11-30T11:00:01.000+01:00' }));
        await registry.createRun(aRun({ run_id: aRunId(3), status: 'running' }));
        await registry.createRun(aRun({ run_id: aRunId(4), status: 'error' }));
        await registry.updateRun(aRunId(3), ['running'], { status: 'passed' });
        expect((await registry.listOpenRuns()).map((run) => run.run_id)).toEqual([aRunId(2), aRunId(1)]);
      });

      it('lists a run as open again after a redrive', async () => {
        await registry.createRun(aRun({ status: 'running' }));
        await registry.updateRun(RUN_ID, ['running'], { status: 'error' });
        expect(await registry.listOpenRuns()).toEqual([]);
        await registry.updateRun(RUN_ID, ['error'], { status: 'running', attempt: 2 });
        expect((await registry.listOpenRuns()).map((run) => run.attempt)).toEqual([2]);
      });

      describe('whose end is still to be told', () => {
        const ended = { status: 'error' as const, announce_pending: true };

        it('are listed oldest first until it is told', async () => {
          await registry.createRun(aRun({ run_id: aRunId(1), started_at: '2026-11-30T10:00:02.000Z' }));
          await registry.createRun(aRun({ run_id: aRunId(2), started_at: '2026-11-30T10:00:01.000Z' }));
          await registry.createRun(aRun({ run_id: aRunId(3) }));
          expect(await registry.listUnannounced()).toEqual([]);
          for (const number of [1, 2]) await registry.updateRun(aRunId(number), ['queued'], ended);
          await registry.updateRun(aRunId(3), ['queued'], { status: 'passed' }); // closed by an older version
          expect((await registry.listUnannounced()).map((run) => run.run_id)).toEqual([aRunId(2), aRunId(1)]);
          expect(await registry.listOpenRuns()).toEqual([]);
          await registry.markAnnounced(aRunId(2), 1);
          await registry.markAnnounced(aRunId(2), 1);
          expect((await registry.listUnannounced()).map((run) => run.run_id)).toEqual([aRunId(1)]);
          expect(await registry.getRun(aRunId(2))).toMatchObject({ status: 'error', announce_pending: false });
        });

        it('stay open when a redrive comes before the mark, and are told anew', async () => {
          await registry.createRun(aRun());
          await registry.updateRun(RUN_ID, ['queued'], ended);
          await registry.updateRun(RUN_ID, ['error'], { status: 'running', attempt: 2, announce_pending: false });
          await registry.markAnnounced(RUN_ID, 1);
          await registry.markAnnounced(RUN_ID, 2);
          expect((await registry.listOpenRuns()).map((run) => run.run_id)).toEqual([RUN_ID]);
          expect(await registry.listUnannounced()).toEqual([]);
          await registry.updateRun(RUN_ID, ['running'], ended);
          await registry.markAnnounced(RUN_ID, 1); // a late word of the first attempt
          expect((await registry.listUnannounced()).map((run) => run.attempt)).toEqual([2]);
        });

        it('keep their figures', async () => {
          const figures = {
            type: 'qa',
            dataset: { id: 'faq', version: 'v' },
            counts: {
              rows: 2,
              passed: 1,
              failed: 1,
              flaky: 0,
              results: 2,
              scored: 2,
              target_error: 0,
              judge_error: 0,
              skipped: 0,
            },
            coverage: 1,
            p95_ms: null,
            cost: { total_usd: null, target_usd: null, judge_usd: 0.1, not_metered: ['http'] },
            baseline: null,
          };
          await registry.createRun(aRun());
          await registry.updateRun(RUN_ID, ['queued'], { status: 'failed', figures });
          expect((await registry.getRun(RUN_ID))?.figures).toEqual(figures);
        });

        it('do not exist where the run does not', async () => {
          await registry.markAnnounced(aRunId(9), 1);
          expect(await registry.getRun(aRunId(9))).toBeNull();
        });
      });

      it('pages through the runs of an eval, newest first', async () => {
        const startedAt = (second: number) => `2026-11-30T10:00:${String(second).padStart(2, '0')}.000Z`;
        for (let number = 0; number < 7; number += 1) {
          await registry.createRun(aRun({ run_id: aRunId(number), started_at: startedAt(number % 5) }));
        }
        await registry.createRun(aRun({ run_id: aRunId(50), eval: 'support' }));
        await registry.createRun(aRun({ run_id: aRunId(51), project: 'shop-2' }));
        const seen: string[] = [];
        let cursor: string | null = null;
        let pages = 0;
        do {
          const page: Awaited<ReturnType<Registry['listRuns']>> = await registry.listRuns('shop', 'support-faq', {
            limit: 3,
            ...(cursor === null ? {} : { cursor }),
          });
          seen.push(...page.items.map((run) => run.run_id));
          cursor = page.cursor;
          pages += 1;
        } while (cursor !== null);
        expect(pages).toBe(3);
        expect(seen).toEqual([4, 3, 2, 6, 1, 5, 0].map(aRunId));
      });

      it.each([
        { name: 'a damaged cursor', cursor: 'not a cursor' },
        { name: 'an empty cursor', cursor: '' },
      ])('refuses $name', async ({ cursor }) => {
        await expect(registry.listRuns('shop', 'support-faq', { limit: 1, cursor })).rejects.toThrow(
          InvalidCursorError,
        );
      });

      it('refuses the cursor of another list', async () => {
        for (const number of [1, 2]) await registry.createRun(aRun({ run_id: aRunId(number) }));
        const { cursor } = await registry.listRuns('shop', 'support-faq', { limit: 1 });
        expect(cursor).not.toBeNull();
        const other = registry.listRuns('shop', 'other', { limit: 1, cursor: cursor ?? '' });
        await expect(other).rejects.toThrow(InvalidCursorError);
      });
    });

    describe('gate runs and deliveries', () => {
      it('creates a gate run once', async () => {
        expect(await registry.createGateRun(aGate())).toBe(true);
        expect(await registry.createGateRun(aGate({ run_ids: [] }))).toBe(false);
        expect(await registry.getGateRun('g-1')).toEqual(aGate());
        expect(await registry.getGateRun('g-2')).toBeNull();
      });

      it('answers a delivery seen before with the first one', async () => {
        const first = { bodyHash: 'h1', gateRunId: 'g-1' };
        expect(await registry.rememberDelivery('shop', 'key #/ü', first)).toBeNull();
        expect(await registry.rememberDelivery('shop', 'key #/ü', { bodyHash: 'h2', gateRunId: 'g-2' })).toEqual(first);
        expect(await registry.rememberDelivery('shop-2', 'key #/ü', first)).toBeNull();
        expect(await registry.rememberDelivery('shop', 'x'.repeat(5_000), first)).toBeNull();
      });

      it('forgets a delivery after a day', async () => {
        await registry.rememberDelivery('shop', 'k', { bodyHash: 'h1', gateRunId: 'g-1' });
        advanceMs(23 * 3_600_000);
        expect(await registry.rememberDelivery('shop', 'k', { bodyHash: 'h2', gateRunId: 'g-2' })).not.toBeNull();
        advanceMs(2 * 3_600_000);
        expect(await registry.rememberDelivery('shop', 'k', { bodyHash: 'h3', gateRunId: 'g-3' })).toBeNull();
      });

      it('stores one of many deliveries that come at once', async () => {
        const seen = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            registry.rememberDelivery('shop', 'k', { bodyHash: 'h', gateRunId: `g-${index}` }),
          ),
        );
        const winner = seen.indexOf(null);
        expect(seen.filter((earlier) => earlier === null)).toHaveLength(1);
        expect(new Set(seen.filter((earlier) => earlier !== null).map((earlier) => earlier.gateRunId))).toEqual(
          new Set([`g-${winner}`]),
        );
      });
    });

    describe('tokens', () => {
      const token = (id: string, changes: Partial<ApiToken> = {}): ApiToken => ({
        id: id.padEnd(16, '0'),
        name: 'ci #/ü',
        hash: 'h',
        projects: ['shop'],
        access: 'read',
        created_at: `2026-11-30T10:00:0${id.length}.000Z`,
        created_by: 'somebody',
        expires_at: '2027-01-01T00:00:00.000Z',
        revoked_at: null,
        ...changes,
      });

      it('are created once, changed and listed in order of creation', async () => {
        expect(await registry.createToken(token('bb'))).toBe(true);
        expect(await registry.createToken(token('bb', { hash: 'other' }))).toBe(false);
        expect(await registry.createToken(token('c', { projects: null }))).toBe(true);
        expect(await registry.getToken(token('bb').id)).toEqual(token('bb'));
        expect(await registry.getToken('nobody')).toBeNull();
        const revoked = token('bb', { revoked_at: '2026-12-01T00:00:00.000Z' });
        await registry.putToken(revoked);
        expect(await registry.listTokens()).toEqual([token('c', { projects: null }), revoked]);
      });
    });

    describe('baseline promotions', () => {
      const pin = (number: number, changes: Partial<BaselinePin> = {}): BaselinePin => ({
        project: 'shop',
        eval: 'support-faq',
        run_id: aRunId(number),
        status: 'passed',
        score: 0.1 + 0.2,
        pass_rate: null,
        forced: false,
        note: null,
        promoted_by: 'token ci',
        promoted_at: `2026-11-30T10:00:0${number}.000Z`,
        previous_run_id: null,
        ...changes,
      });

      it('are kept for each eval, the newest first', async () => {
        for (const number of [2, 1, 3]) await registry.addBaselinePin(pin(number));
        await registry.addBaselinePin(pin(9, { eval: 'other' }));
        await registry.addBaselinePin(pin(8, { project: 'shop-2' }));
        expect(await registry.listBaselinePins('shop', 'support-faq', 10)).toEqual([pin(3), pin(2), pin(1)]);
        expect(await registry.listBaselinePins('shop', 'support-faq', 1)).toEqual([pin(3)]);
        expect(await registry.listBaselinePins('shop', 'none', 1)).toEqual([]);
      });
    });

    describe('counters', () => {
      it('are nothing before the first batch', async () => {
        expect(await registry.getCounters(RUN_ID)).toEqual(counters());
      });

      it('sum over batches', async () => {
        await registry.putBatchCounters(RUN_ID, 0, counters({ done: 10, scored: 9, target_error: 1, cost_usd: 0.25 }));
        await registry.putBatchCounters(RUN_ID, 10, counters({ done: 5, judge_error: 2, skipped: 3, late: 1 }));
        await registry.putBatchCounters(aRunId(2), 0, counters({ done: 99 }));
        expect(await registry.getCounters(RUN_ID)).toEqual(
          counters({ done: 15, scored: 9, target_error: 1, judge_error: 2, skipped: 3, cost_usd: 0.25, late: 1 }),
        );
      });

      it('count a batch once that is delivered twice, with its last figures', async () => {
        const first = counters({ done: 10, scored: 10, cost_usd: 0.3 });
        const second = counters({ done: 10, scored: 8, judge_error: 2, cost_usd: 0.1 });
        for (const figures of [first, first, second, second]) await registry.putBatchCounters(RUN_ID, 0, figures);
        const { cost_usd, ...rest } = await registry.getCounters(RUN_ID);
        expect(cost_usd).toBeCloseTo(0.1, 12);
        expect(rest).toEqual({ done: 10, scored: 8, target_error: 0, judge_error: 2, skipped: 0, late: 0 });
      });

      it('stay exact when batches are delivered several times at once', async () => {
        const deliveries = Array.from({ length: 30 }, (_, index) =>
          registry.putBatchCounters(RUN_ID, (index % 6) * 10, counters({ done: 10, scored: 10 })),
        );
        await Promise.all(deliveries);
        expect(await registry.getCounters(RUN_ID)).toEqual(counters({ done: 60, scored: 60 }));
      });

      it('refuse what is no number', async () => {
        await expect(registry.putBatchCounters(RUN_ID, 0, counters({ cost_usd: Number.NaN }))).rejects.toThrow();
        expect(await registry.getCounters(RUN_ID)).toEqual(counters());
      });
    });
  });
}
