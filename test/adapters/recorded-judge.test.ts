import { describe, expect, it } from 'vitest';
import { RecordedJudge } from '../../src/adapters/recorded-judge.ts';
import { readVerdicts } from '../../src/core/judging/read-verdicts.ts';
import type { Row } from '../../src/core/schemas/row.ts';
import type { JudgeRequest } from '../../src/ports/judge.ts';
import { anyVerdict, contractQuestion, judgeContract, judgeRequest } from '../contracts/judge.ts';
import { twoScores } from '../core/judging/questions.ts';

const verdicts = anyVerdict(contractQuestion.asks) as never;
const signedText = JSON.stringify({ nonce: '{{nonce}}', ...anyVerdict(contractQuestion.asks) });

judgeContract('RecordedJudge with verdicts', async () => ({ judge: new RecordedJudge(), row: { verdicts } }));
judgeContract('RecordedJudge with replies', async () => ({
  judge: new RecordedJudge(),
  row: { judge_replies: [signedText] },
}));

const two = { correctness: { score: 0.8, reason: 'ok' }, relevance: { score: 0.6, reason: 'ok' } };

async function read(row: Partial<Row>, over: Partial<JudgeRequest> = {}) {
  const request = judgeRequest({ question: twoScores, ...over }, row);
  const reading = readVerdicts(await new RecordedJudge().ask(request), twoScores, request.prompt.nonce);
  return reading.ok ? [...reading.verdicts.values()].map(({ value }) => value) : reading.cause;
}

describe('recorded replies', () => {
  it.each([
    { name: 'text with the nonce', reply: JSON.stringify({ nonce: '{{nonce}}', ...two }), read: [0.8, 0.6] },
    { name: 'text without it', reply: JSON.stringify(two), read: 'unparsable' },
    {
      name: 'a tool call',
      reply: { stop_reason: 'tool_use', content: [{ toolUse: { input: two } }] },
      read: [0.8, 0.6],
    },
    {
      name: 'a tool call under any name',
      reply: { content: [{ toolUse: { name: 'submit_grade', input: two } }] },
      read: [0.8, 0.6],
    },
    {
      name: 'a draft in a reasoning block before the text',
      reply: {
        stop_reason: 'end_turn',
        content: [
          { reasoningContent: { reasoningText: { text: JSON.stringify({ nonce: '{{nonce}}', ...two }) } } },
          { text: '{"nonce": "{{nonce}}", ' },
          { text: JSON.stringify(two).slice(1) },
        ],
      },
      read: [0.8, 0.6],
    },
    { name: 'a draft in a reasoning block alone', reply: { content: [{ reasoningContent: {} }] }, read: 'unparsable' },
    {
      name: 'a cut reply',
      reply: { stop_reason: 'max_tokens', content: [{ toolUse: { input: two } }] },
      read: 'stop-reason',
    },
    {
      name: 'a stop reason that is none',
      reply: { stop_reason: 7, content: [{ toolUse: { input: two } }] },
      read: 'stop-reason',
    },
    { name: 'no reply form at all', reply: 42, read: 'unparsable' },
    { name: 'empty text', reply: { stop_reason: 'end_turn', content: [{ text: '' }] }, read: 'unparsable' },
  ])('$name: $read', async ({ reply, read: expected }) => {
    expect(await read({ judge_replies: [reply as never] })).toEqual(expected);
  });

  it('are taken in call order, and end', async () => {
    const replies = [{ content: [{ text: 'hm' }] }, { content: [{ toolUse: { input: two } }] }];
    expect(await read({ judge_replies: replies }, { call: 0 })).toBe('unparsable');
    expect(await read({ judge_replies: replies }, { call: 1 })).toEqual([0.8, 0.6]);
    expect(await read({ judge_replies: replies }, { call: 2 })).toBe('no-recorded-verdict');
  });

  it('fill the nonce into text only', async () => {
    const signedTool = { nonce: '{{nonce}}', correctness: { score: 1, reason: '{{nonce}}' }, relevance: two.relevance };
    const request = judgeRequest(
      { question: twoScores },
      { judge_replies: [{ content: [{ toolUse: { input: signedTool } }] }] },
    );
    const reading = readVerdicts(await new RecordedJudge().ask(request), twoScores, request.prompt.nonce);
    expect(reading.ok && reading.verdicts.get('correctness')?.reason).toBe('{{nonce}}');
  });
});

describe('recorded verdicts', () => {
  it('win over replies when they rule on what is asked', async () => {
    const judge_replies = [{ content: [{ toolUse: { input: two } }] }];
    expect(await read({ verdicts: two, judge_replies: ['no'] })).toEqual([0.8, 0.6]);
    expect(await read({ verdicts: { style: { score: 1 } }, judge_replies })).toEqual([0.8, 0.6]);
  });
  it('may be kept by target', async () => {
    const verdicts = { http: two, 'http-2': { correctness: { score: 0 }, relevance: { score: 0.1 } }, bad: 'text' };
    expect(await read({ verdicts }, { targetId: 'http' })).toEqual([0.8, 0.6]);
    expect(await read({ verdicts }, { targetId: 'http-2' })).toEqual([0, 0.1]);
    for (const targetId of ['http-3', 'bad', 'constructor']) {
      expect(await read({ verdicts }, { targetId })).toBe('no-recorded-verdict');
    }
  });
  it.each<Partial<Row>>([{}, { verdicts: {} }, { verdicts: { correctness: two.correctness } }])(
    '%j are no complete verdict',
    async (row) => {
      expect(await read(row)).toBe('no-recorded-verdict');
    },
  );
});

it('replays a former run by row, target, trial and answer', async () => {
  const judge = new RecordedJudge(async (key) => (key.rowId === 'row-1' && key.targetId === 'http' ? two : null));
  const known = await judge.ask(judgeRequest({ question: twoScores }));
  expect(known).toMatchObject({ status: 'recorded', verdicts: two });
  const other = await judge.ask(judgeRequest({ question: twoScores, targetId: 'http-2' }));
  expect(other).toMatchObject({ status: 'failed', cause: 'no-recorded-verdict' });

  const asked: string[] = [];
  const listening = new RecordedJudge(async ({ answer }) => {
    asked.push(answer);
    return two;
  });
  await listening.ask(judgeRequest({ question: { ...twoScores, answer: 'Within a week.' } }));
  expect(asked).toEqual(['Within a week.']);
});
