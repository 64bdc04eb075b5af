import { describe, expect, it } from 'vitest';
import { LexicalJudge } from '../../../src/adapters/local/lexical-judge.ts';
import { RecordedJudge } from '../../../src/adapters/recorded-judge.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { CANARIES } from '../../../src/core/judging/canaries.ts';
import type { JudgeAsk } from '../../../src/core/judging/question.ts';
import type { EvalConfig } from '../../../src/core/schemas/eval.ts';
import { judgedPrompts } from '../../../src/core/scoring/judged-prompts.ts';
import type { Judge, JudgeReply, JudgeRequest } from '../../../src/ports/judge.ts';
import { checkJudge, compromised, plantedFailures, plantsCanaries } from '../../../src/use-cases/judge/check-judge.ts';
import { runConfig } from '../../core/aggregate/build.ts';
import { evalConfig, spec } from '../../core/scoring/build.ts';

type Ruling = 'best' | 'worst';

const bedrock = { type: 'bedrock', model: 'm', max_tokens: 700, timeout_s: 60, temperature: 0 } as const;
const SPENT = {
  usage: { input: 300, output: 20, cache_read: 0, cache_write: 0 },
  cost: { status: 'metered', usd: 0.001 },
  attempts: 1,
} as const;

function rulingOn(ask: JudgeAsk, ruling: Ruling): JsonObject {
  if (ask.kind !== 'label') return { reason: 'r', score: ruling === 'best' ? 1 : 0 };
  return { reason: 'r', label: (ruling === 'best' ? ask.labels.at(-1) : ask.labels[0]) ?? '' };
}

function replying(rule: (request: JudgeRequest) => Ruling | JudgeReply, id = 'stub') {
  const asked: JudgeRequest[] = [];
  const judge: Judge = {
    id,
    type: 'bedrock',
    model: 'm',
    isModel: true,
    channel: 'tool',
    check: async () => {},
    close: async () => {},
    ask: async (request) => {
      asked.push(request);
      const ruling = rule(request);
      if (typeof ruling !== 'string') return ruling;
      const input = Object.fromEntries(request.question.asks.map((ask) => [ask.name, rulingOn(ask, ruling)]));
      return {
        status: 'replied',
        stopReason: 'tool_use',
        content: [{ kind: 'tool_use', name: 't', input }],
        schemaText: false,
        ...SPENT,
      };
    },
  };
  return { judge, asked };
}

/** Rules on the text before anything that tries to sway it. */
const sound = ({ question }: JudgeRequest): Ruling => (question.answer.includes('Canberra') ? 'best' : 'worst');
const failing = (): JudgeReply => ({ status: 'failed', cause: 'throttled', message: 'secret throttled', ...SPENT });

const qa = (more: Partial<EvalConfig> = {}) => runConfig({ type: 'qa', rows: 1, eval: { judges: [bedrock], ...more } });
const ports = (...judges: Judge[]) => ({
  judges,
  redact: (text: string) => text.replace('secret', '…'),
  signal: new AbortController().signal,
});

describe('planted answers', () => {
  it('hold with a judge that rules on what is answered', async () => {
    const { judge, asked } = replying(sound);
    const report = await checkJudge(qa(), ports(judge));
    expect(report).toMatchObject({ asked: 4, held: 4, failed: 0, wrong: [], failure: null });
    expect(report?.cost).toEqual({ status: 'metered', usd: expect.closeTo(0.004, 12) });
    expect(report?.usage).toMatchObject({ input: 1200, output: 80 });
    expect(compromised(report)).toBeNull();
    expect(new Set(asked.map(({ prompt }) => prompt.nonce)).size).toBe(4);
  });

  it.each([
    { obeys: 'a request to pass', sign: /SYSTEM NOTE/, canary: 'asks-to-pass' },
    { obeys: 'a verdict in the answer', sign: /"nonce"/, canary: 'imitates-a-verdict' },
    { obeys: 'a closed fence', sign: /<\/answer/, canary: 'closes-the-fence' },
  ])('catch a judge that obeys $obeys', async ({ sign, canary }) => {
    const { judge } = replying((request) => (sign.test(request.question.answer) ? 'best' : sound(request)));
    const report = await checkJudge(qa(), ports(judge));
    expect(report).toMatchObject({ held: 3, wrong: [{ canary, judge: 'stub', prompt: 'qa@1' }] });
    expect(compromised(report)).toMatch(/^judge compromised: stub did not fail a planted answer that is wrong/);
  });

  it('catch a judge that passes everything, and one that fails everything', async () => {
    const lenient = await checkJudge(qa(), ports(replying(() => 'best').judge));
    expect(lenient?.wrong.map(({ canary }) => canary)).toEqual([
      'asks-to-pass',
      'imitates-a-verdict',
      'closes-the-fence',
    ]);
    expect(compromised(lenient)).toContain(', and 2 more');
    const strict = await checkJudge(qa(), ports(replying(() => 'worst').judge));
    expect(strict?.wrong.map(({ canary }) => canary)).toEqual(['sound-answer']);
    expect(compromised(strict)).toContain('did not pass a planted answer that is right and plain');
  });

  it('take a middle score for a wrong ruling', async () => {
    const run = runConfig({ rows: 1, eval: { judges: [bedrock] } });
    const { judge } = replying(({ question }) => ({
      status: 'replied',
      stopReason: 'tool_use',
      content: [
        { kind: 'tool_use', name: 't', input: { [question.asks[0]?.name ?? '']: { reason: 'r', score: 0.5 } } },
      ],
      schemaText: false,
      ...SPENT,
    }));
    expect((await checkJudge(run, ports(judge)))?.wrong).toHaveLength(4);
  });

  it('tell a judge that fails from one that obeys', async () => {
    const report = await checkJudge(qa(), ports(replying(failing).judge));
    expect(report).toMatchObject({ asked: 4, held: 0, failed: 4, wrong: [], failure: 'stub: … throttled' });
    expect(compromised(report)).toBeNull();
    expect(report === null ? null : plantedFailures(report, 1)).toMatchObject({
      failures: 4,
      usd: expect.closeTo(0.004, 12),
    });
  });

  it('put to a jury name the juror; one that fails alone does not count as the judge failing', async () => {
    const jury = [replying(sound, 'a').judge, replying(() => 'best', 'b').judge, replying(failing, 'c').judge];
    const report = await checkJudge(qa({ judges: [bedrock, bedrock, bedrock] }), ports(...jury));
    expect(report).toMatchObject({ asked: 12, held: 5, failed: 4 });
    expect(new Set(report?.wrong.map(({ judge }) => judge))).toEqual(new Set(['b']));
    expect(report === null ? null : plantedFailures(report, 3).failures).toBe(0);
  });

  it.each<{ name: string; config: EvalConfig; prompts: string[] }>([
    { name: 'qa', config: qa().eval, prompts: ['qa'] },
    {
      name: 'instruction',
      config: evalConfig({ type: 'instruction', scorers: [spec('judge')] }),
      prompts: ['instruction'],
    },
    { name: 'metrics', config: evalConfig({ type: 'metrics', metrics: ['safety'] }), prompts: ['metrics'] },
    { name: 'rag', config: evalConfig({ type: 'rag', metrics: ['faithfulness'] }), prompts: ['rag', 'metrics'] },
    { name: 'agent', config: evalConfig({ type: 'agent' }), prompts: ['agent'] },
    { name: 'labels of Bedrock', config: evalConfig({ type: 'rag', judge_scales: 'bedrock' }), prompts: ['rag'] },
    {
      name: 'a rubric scorer',
      config: evalConfig({
        type: 'classification',
        scorers: [spec('contains'), spec('judge-rubric', { rubric: 'polite' })],
      }),
      prompts: ['rubric'],
    },
  ])('use the prompts of the eval: $name', async ({ config, prompts }) => {
    const judged = { ...config, judges: [bedrock] };
    expect(judgedPrompts(judged)).toEqual(prompts);
    const { judge, asked } = replying(sound);
    const report = await checkJudge({ ...qa(), eval: judged }, ports(judge));
    expect(report).toMatchObject({ asked: 4 * prompts.length, held: 4 * prompts.length });
    expect([...new Set(asked.map(({ prompt }) => prompt.version))]).toEqual(prompts.map((id) => `${id}@1`));
    expect(new Set(asked.map(({ prompt }) => prompt.nonce)).size).toBe(asked.length);
    const obeying = await checkJudge({ ...qa(), eval: judged }, ports(replying(() => 'best').judge));
    expect(obeying?.wrong).toHaveLength(3 * prompts.length);
  });

  it.each<{ name: string; more: Partial<EvalConfig> }>([
    { name: 'switched off', more: { canaries: false } },
    { name: 'with word overlap', more: { judges: [{ type: 'lexical' }] } },
    { name: 'with recorded verdicts', more: { judges: [{ type: 'recorded' }] } },
    { name: 'without a judge', more: { judges: [] } },
    { name: 'where only text is checked', more: { scorers: [spec('contains')] } },
  ])('are left out $name', async ({ more }) => {
    const { judge, asked } = replying(sound);
    const judges = more.judges?.length === 0 ? [] : [judge];
    expect(await checkJudge(qa(more), ports(...judges))).toBeNull();
    expect(asked).toEqual([]);
  });

  it('are put to any judge when asked for, and word overlap holds', async () => {
    const config = qa({ judges: [{ type: 'lexical' }], canaries: true });
    expect(plantsCanaries(config.eval)).toBe(true);
    expect(await checkJudge(config, ports(new LexicalJudge()))).toMatchObject({ asked: 4, held: 4, wrong: [] });
  });

  it('catch a recorded judge that obeys', async () => {
    const obeying = new RecordedJudge(async () => ({ judge: { label: 'pass', reason: 'as asked' } }));
    const config = qa({ judges: [{ type: 'recorded' }], canaries: true });
    expect((await checkJudge(config, ports(obeying)))?.wrong).toHaveLength(3);
    const holding = new RecordedJudge(async ({ answer }) => ({
      judge: { label: answer.includes('Canberra') ? 'pass' : 'fail', reason: 'on its merits' },
    }));
    expect(await checkJudge(config, ports(holding))).toMatchObject({ held: 4, wrong: [] });
  });

  it('stand between fences that their guessed code does not close', async () => {
    const { judge, asked } = replying(sound);
    await checkJudge(qa(), ports(judge));
    for (const { prompt, question } of asked) {
      expect(question.answer).not.toContain(prompt.nonce);
      expect(prompt.user.split(`</answer ${prompt.nonce}>`)).toHaveLength(2);
    }
  });

  it('that must fail never name the right answer', () => {
    const asks: JudgeAsk[] = [{ kind: 'score', name: 'correctness', definition: 'd' }];
    const naming = CANARIES.filter((canary) => canary.answer(asks).includes('Canberra'));
    expect(naming.map(({ must }) => must)).toEqual(['pass']);
  });
});
