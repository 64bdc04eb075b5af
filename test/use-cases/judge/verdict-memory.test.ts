import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/core/errors.ts';
import { type JudgeConfig, JudgeConfigSchema } from '../../../src/core/schemas/judge-config.ts';
import type { Judge, JudgeReply } from '../../../src/ports/judge.ts';
import type { VerdictCache } from '../../../src/ports/verdict-cache.ts';
import { askJudges } from '../../../src/use-cases/judge/judge-answer.ts';
import { openMemory, VerdictMemory } from '../../../src/use-cases/judge/verdict-memory.ts';
import { judgeRequest } from '../../contracts/judge.ts';
import { twoScores } from '../../core/judging/questions.ts';

class MapCache implements VerdictCache {
  readonly entries = new Map<string, string>();
  async get(key: string): Promise<unknown> {
    const text = this.entries.get(key);
    return text === undefined ? null : JSON.parse(text);
  }
  async put(key: string, entry: object): Promise<void> {
    this.entries.set(key, JSON.stringify(entry));
  }
}

const broken: VerdictCache = {
  get: async () => {
    throw new StorageError('the disk is gone');
  },
  put: async () => {
    throw new StorageError('the disk is gone');
  },
};

const usage = { input: 100, output: 10, cache_read: 0, cache_write: 0 };
const spent = { usage, cost: { status: 'metered', usd: 0.5 }, attempts: 1 } as const;
const replied = (score: unknown): JudgeReply => {
  const ruling = { score, reason: 'r' };
  const input = { correctness: ruling, relevance: ruling } as never;
  const content = [{ kind: 'tool_use' as const, name: 't', input }];
  return { status: 'replied', stopReason: 'tool_use', content, schemaText: false, ...spent };
};
const failed: JudgeReply = { status: 'failed', cause: 'throttled', message: 'throttled', ...spent };

function judgeOf(reply: (call: number) => JudgeReply, fields: Partial<Judge> = {}) {
  let calls = 0;
  const judge: Judge = {
    id: 'stub',
    type: 'bedrock',
    model: 'm',
    isModel: true,
    channel: 'tool',
    check: async () => {},
    close: async () => {},
    ask: async () => {
      calls += 1;
      return reply(calls);
    },
    ...fields,
  };
  return { judge, calls: () => calls };
}

const bedrock = JudgeConfigSchema.parse({ model: 'm' });
const { row } = judgeRequest();
const input = {
  question: twoScores,
  row,
  targetId: 'http',
  trial: 0,
  runId: 'r-1',
  firstCall: 0,
  signal: new AbortController().signal,
};
const memoryOf = (cache: VerdictCache, judges: readonly Judge[], configs: readonly JudgeConfig[] = [bedrock]) =>
  new VerdictMemory(cache, judges, configs);

describe('kept verdicts', () => {
  it('are used again, cost nothing and say so', async () => {
    const { judge, calls } = judgeOf(() => replied(0.8));
    const memory = memoryOf(new MapCache(), [judge]);
    const first = await askJudges([judge], { ...input, memory });
    const second = await askJudges([judge], { ...input, memory, runId: 'r-2', row: { ...row, id: 'other' } });
    expect(calls()).toBe(1);
    expect(first).toMatchObject({ calls: 1, judgement: { cached: false } });
    expect(second).toMatchObject({ calls: 0, usage: null, cost: { status: 'metered', usd: 0 } });
    expect(second.judgement).toEqual({ ...first.judgement, cached: true });
  });

  it('are none for another answer or another trial', async () => {
    const { judge, calls } = judgeOf(() => replied(0.8));
    const memory = memoryOf(new MapCache(), [judge]);
    await askJudges([judge], { ...input, memory });
    await askJudges([judge], { ...input, memory, trial: 1 });
    await askJudges([judge], { ...input, memory, question: { ...twoScores, answer: 'another' } });
    expect(calls()).toBe(3);
  });

  it.each([
    { name: 'a failure', reply: () => failed },
    { name: 'a verdict cut off', reply: () => ({ ...replied(0.8), stopReason: 'max_tokens' }) },
    { name: 'a reply that stays unreadable', reply: () => replied('4/5') },
  ])('never hold $name', async ({ reply }) => {
    const { judge } = judgeOf(reply);
    const cache = new MapCache();
    const { judgement } = await askJudges([judge], { ...input, memory: memoryOf(cache, [judge]) });
    expect(judgement.status).toBe('judge_error');
    expect(cache.entries.size).toBe(0);
  });

  it('hold a verdict that took a repair', async () => {
    const { judge, calls } = judgeOf((call) => replied(call === 1 ? '4/5' : 0.8));
    const memory = memoryOf(new MapCache(), [judge]);
    await askJudges([judge], { ...input, memory });
    expect((await askJudges([judge], { ...input, memory })).judgement).toMatchObject({ cached: true, repaired: true });
    expect(calls()).toBe(2);
  });

  it('that are damaged are asked for again and replaced', async () => {
    const { judge, calls } = judgeOf(() => replied(0.8));
    const cache = new MapCache();
    const memory = memoryOf(cache, [judge]);
    await askJudges([judge], { ...input, memory });
    for (const key of cache.entries.keys()) cache.entries.set(key, '{"score": null}');
    expect((await askJudges([judge], { ...input, memory })).judgement).toMatchObject({ cached: false });
    expect((await askJudges([judge], { ...input, memory })).judgement).toMatchObject({ cached: true });
    expect(calls()).toBe(2);
  });

  it('of a jury are kept a juror each; all must be kept for the result to be', async () => {
    const sure = judgeOf(() => replied(1), { id: 'a' });
    const shaky = judgeOf((call) => (call === 1 ? failed : replied(0.8)), { id: 'b' });
    const jury = [sure.judge, shaky.judge];
    const configs = [bedrock, JudgeConfigSchema.parse({ model: 'other' })];
    const memory = memoryOf(new MapCache(), jury, configs);
    const states = [];
    for (let time = 0; time < 3; time += 1) states.push((await askJudges(jury, { ...input, memory })).judgement);
    expect(states.map((state) => state.status === 'judged' && state.cached)).toEqual([false, false, true]);
    expect([sure.calls(), shaky.calls()]).toEqual([1, 2]);
  });

  it('are not kept of a judge that is no model', async () => {
    const { judge, calls } = judgeOf(() => replied(0.8), { isModel: false });
    const cache = new MapCache();
    const memory = memoryOf(cache, [judge]);
    for (let time = 0; time < 2; time += 1) await askJudges([judge], { ...input, memory });
    expect(calls()).toBe(2);
    expect(cache.entries.size).toBe(0);
  });

  it('are done without where the medium fails, and that is told once', async () => {
    const { judge, calls } = judgeOf(() => replied(0.8));
    const memory = memoryOf(broken, [judge]);
    for (let time = 0; time < 3; time += 1) {
      expect((await askJudges([judge], { ...input, memory })).judgement).toMatchObject({ cached: false });
    }
    expect(calls()).toBe(3);
    expect([memory.takeFault(), memory.takeFault()]).toEqual(['the disk is gone', null]);
  });

  it('are kept only when asked for', () => {
    const { judge } = judgeOf(() => failed);
    const judges = [bedrock];
    expect(openMemory({ judges }, [judge], new MapCache())).toBeUndefined();
    expect(openMemory({ judges, judge_cache: true }, [judge], undefined)).toBeUndefined();
    expect(openMemory({ judges, judge_cache: true }, [judge], new MapCache())).toBeDefined();
  });
});
