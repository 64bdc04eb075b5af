import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import { evalJudgeHash } from '../../../src/core/judging/eval-judge-hash.ts';
import { EVIDENCE } from '../../contracts/calibrations.ts';
import { evalNamed, START_MS, TestApi } from './api.ts';

const PATH = '/api/projects/shop/calibrations';
const at = (msFromNow: number) => new Date(START_MS + msFromNow).toISOString();
const evidence = (more: object = {}) => ({ ...EVIDENCE, date: at(-86_400_000), ...more });

/** Without scorers of its own: its judge rules. */
function judged(name: string, more: object = {}) {
  const { scorers: _, ...config } = evalNamed(name);
  return { ...config, ...more };
}

async function seeded(): Promise<TestApi> {
  const api = new TestApi();
  await api.seed([]);
  return api;
}

describe('calibrations', () => {
  it('are kept with figures that are worked out here, and who pushed them', async () => {
    const api = await seeded();
    const { status, json } = await api.manage('POST', PATH, evidence());
    expect(status).toBe(200);
    expect(json).toMatchObject({
      judge_hash: EVIDENCE.judge_hash,
      label_policy: '2026-01',
      labels: 50,
      agreement: 0.7,
      tpr: { rate: 0.8, n: 25 },
      tnr: { rate: 0.6, n: 25 },
      pushed: { by: 'first token', at: at(0) },
      evals: [],
    });
    // The golden κ of [[20, 5], [10, 15]].
    expect(json.kappa).toBeCloseTo(0.4, 9);
    expect((await api.manage('GET', PATH)).json).toEqual({ items: [json] });
  });

  it('name the evals whose judge it is', async () => {
    const api = await seeded();
    const asked = judged('asked', { judge: { type: 'lexical' } });
    await api.manage('POST', '/api/evals/project/shop', asked);
    await api.manage('POST', '/api/evals/project/shop', evalNamed('unjudged'));
    const judge_hash = evalJudgeHash(parseEval(asked));
    expect((await api.manage('POST', PATH, evidence({ judge_hash }))).json.evals).toEqual(['asked']);
    expect((await api.manage('GET', PATH)).json.items[0].evals).toEqual(['asked']);
  });

  it('count the default judge of the project, where an eval names none', async () => {
    const api = await seeded();
    await api.manage('PUT', '/api/projects/shop', { default_judge: { type: 'lexical' } });
    const plain = judged('plain');
    await api.manage('POST', '/api/evals/project/shop', plain);
    const judge_hash = evalJudgeHash(parseEval({ ...plain, judge: { type: 'lexical' } }));
    expect((await api.manage('POST', PATH, evidence({ judge_hash }))).json.evals).toEqual(['plain']);
  });

  it.each([
    { name: 'a κ that is told', more: { kappa: 1 }, field: 'kappa' },
    { name: 'rates that are told', more: { tpr: { rate: 1, n: 25, ci95: null } }, field: 'tpr' },
    {
      name: 'a table that is not square',
      more: { confusion: { labels: ['fail', 'pass'], counts: [[1, 2], [3]] } },
      field: 'confusion',
    },
    { name: 'a hash that is none', more: { judge_hash: '../x' }, field: 'judge_hash' },
    { name: 'a time that is none', more: { date: 'today' }, field: 'date' },
    { name: 'a time that lies ahead', more: { date: at(6 * 60_000) }, field: 'date', status: 422 },
    {
      name: 'labels of one kind',
      more: {
        confusion: {
          labels: ['fail', 'pass'],
          counts: [
            [0, 0],
            [5, 20],
          ],
        },
      },
      field: 'confusion',
      status: 422,
    },
    { name: 'a policy without a name', more: { label_policy: '' }, field: 'label_policy' },
  ])('refuse $name, naming $field', async ({ more, field, status: expected = 400 }) => {
    const { status, json } = await (await seeded()).manage('POST', PATH, evidence(more));
    expect(status).toBe(expected);
    expect(json.faults.map((fault: { field: string }) => fault.field.split('.')[0])).toContain(field);
  });

  it('let clocks differ by a few minutes', async () => {
    expect((await (await seeded()).manage('POST', PATH, evidence({ date: at(4 * 60_000) }))).status).toBe(200);
  });

  it('keep a newer one and say so', async () => {
    const api = await seeded();
    await api.manage('POST', PATH, evidence({ label_policy: 'new' }));
    const { status, json } = await api.manage(
      'POST',
      PATH,
      evidence({ date: at(-2 * 86_400_000), label_policy: 'old' }),
    );
    expect([status, json.code]).toEqual([409, 'newer-calibration']);
    expect((await api.manage('GET', PATH)).json.items[0].label_policy).toBe('new');
  });

  it('are of one project, and of nobody who does not reach it', async () => {
    const api = await seeded();
    await api.manage('POST', '/api/projects', { id: 'bank' });
    await api.manage('POST', PATH, evidence());
    expect((await api.manage('GET', '/api/projects/bank/calibrations')).json).toEqual({ items: [] });
    const { json } = await api.manage('POST', '/api/tokens', { name: 'bank', projects: ['bank'], access: 'write' });
    const headers = { authorization: `Bearer ${json.token}` };
    const unknown = await api.manage('GET', '/api/projects/nobody/calibrations', undefined, { headers });
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', evidence()],
    ] as const) {
      const answer = await api.manage(method, PATH, body, { headers });
      expect([answer.status, answer.json.code]).toEqual([404, unknown.json.code]);
    }
  });

  it('are pushed by tokens that may write, and read by all', async () => {
    const api = await seeded();
    const { json } = await api.manage('POST', '/api/tokens', { name: 'r', projects: ['shop'], access: 'read' });
    const headers = { authorization: `Bearer ${json.token}` };
    expect((await api.manage('POST', PATH, evidence(), { headers })).status).toBe(403);
    expect((await api.manage('GET', PATH, undefined, { headers })).status).toBe(200);
  });
});
