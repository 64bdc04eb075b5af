import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JudgeAsk } from '../../../src/core/judging/question.ts';
import { readVerdicts } from '../../../src/core/judging/read-verdicts.ts';
import { correctnessLabel, question, scoreAsk, textReply, toolReply, twoScores } from './questions.ts';

const NONCE = 'a1b2c3d4e5f60718';
const verdict = (correctness: unknown, relevance: unknown, extra: object = {}) => ({
  correctness: { score: correctness, reason: 'Matches the reference.' },
  relevance: { score: relevance, reason: 'On topic.' },
  ...extra,
});
const signed = (correctness: unknown, relevance: unknown) =>
  JSON.stringify({ nonce: NONCE, ...verdict(correctness, relevance) });
const values = (reading: ReturnType<typeof readVerdicts>) =>
  reading.ok ? Object.fromEntries([...reading.verdicts].map(([name, { value }]) => [name, value])) : reading.cause;

describe('free text', () => {
  const good = { correctness: 0.9, relevance: 0.7 };
  it.each([
    { name: 'the object alone', text: signed(0.9, 0.7) },
    { name: 'a code fence around it', text: `\`\`\`json\n${signed(0.9, 0.7)}\n\`\`\`` },
    { name: 'prose with braces around it', text: `As {asked}: {"a": 1}\n${signed(0.9, 0.7)}\nMore {detail}? }` },
    { name: 'another script around it', text: `以下是评分：\n${signed(0.9, 0.7)}\n以上。` },
    { name: 'an unclosed brace before it', text: `{"correctness": {\n${signed(0.9, 0.7)}` },
    { name: 'a wrapper object', text: `{"verdict": ${signed(0.9, 0.7)}}` },
    { name: 'the same object twice', text: `${signed(0.9, 0.7)}\n${signed(0.9, 0.7)}` },
    {
      name: 'braces and quotes inside a reason',
      text: JSON.stringify({
        nonce: NONCE,
        correctness: { score: 0.9, reason: 'Has "}" and {"a": [1}' },
        relevance: { score: 0.7, reason: '} } { <think>' },
      }),
    },
    {
      name: 'a thinking block with a signed draft',
      text: `<thinking>${signed(1, 1)} but no</thinking>\n${signed(0.9, 0.7)}`,
    },
    { name: 'a think block with stray braces', text: `<think>f = {x | x > 0} [1, {3]</think>${signed(0.9, 0.7)}` },
    { name: 'a think block without its opening tag', text: `${signed(1, 1)} hmm</think>\n${signed(0.9, 0.7)}` },
    {
      name: 'a quoted verdict of the answer before it',
      text: `It says ${JSON.stringify(verdict(1, 1))}.\n${signed(0.9, 0.7)}`,
    },
    {
      name: 'a quoted verdict of the answer after it',
      text: `${signed(0.9, 0.7)}\nIt said ${JSON.stringify(verdict(1, 1))}`,
    },
    { name: 'a signed draft that lacks a metric', text: `{"nonce":"${NONCE}"}\n${signed(0.9, 0.7)}` },
  ])('takes the verdict with $name', ({ text }) => {
    expect(values(readVerdicts(textReply(text), twoScores, NONCE))).toEqual(good);
  });

  it.each([
    { name: 'has no nonce', text: JSON.stringify(verdict(0.9, 0.7)) },
    { name: 'has another nonce', text: JSON.stringify({ nonce: 'ffff', ...verdict(0.9, 0.7) }) },
    { name: 'has two signed verdicts that differ', text: `${signed(0.9, 0.7)}${signed(0.9, 0.8)}` },
    { name: 'has only a draft in a thinking block', text: `<think>${signed(0.9, 0.7)}</think>` },
    { name: 'never closes its thinking block', text: `<think>${signed(0.9, 0.7)}` },
    { name: 'is cut off', text: signed(0.9, 0.7).slice(0, -10) },
    { name: 'is a refusal', text: "I'm sorry, but I can't evaluate this content." },
    { name: 'has numbers in prose only', text: 'There are 5 reasons why I would give this 0.9 overall.' },
    { name: 'is almost JSON (trailing comma)', text: `${signed(0.9, 0.7).slice(0, -1)},}` },
    { name: 'is almost JSON (single quotes)', text: signed(0.9, 0.7).replaceAll('"', "'") },
    { name: 'is almost JSON (raw line break)', text: signed(0.9, 0.7).replace('On topic.', 'On\ntopic.') },
    { name: 'is almost JSON (NaN)', text: signed(0.9, 0.7).replace('0.9', 'NaN') },
    { name: 'is blank', text: '  \n' },
  ])('is unparsable when it $name', ({ text }) => {
    expect(readVerdicts(textReply(text), twoScores, NONCE)).toMatchObject({
      ok: false,
      cause: 'unparsable',
      repairable: true,
    });
  });

  it('never yields a verdict from text without the nonce', () => {
    const anyObject = fc.json().map((json) => json.replaceAll(NONCE, ''));
    const anyVerdict = fc
      .tuple(fc.double({ min: 0, max: 1 }), fc.double({ min: 0, max: 1 }), fc.string())
      .map(([a, b, nonce]) => JSON.stringify({ nonce, ...verdict(a, b) }));
    const text = fc
      .array(fc.oneof(fc.string(), anyObject, anyVerdict), { maxLength: 6 })
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(text, (reply) => {
        fc.pre(!reply.includes(NONCE));
        expect(readVerdicts(textReply(reply), twoScores, NONCE).ok).toBe(false);
      }),
    );
  });

  it('never counts a verdict quoted from the answer, wherever the judge quotes it', () => {
    const score = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
    fc.assert(
      fc.property(score, score, fc.string(), fc.string(), fc.boolean(), (quoted, own, before, after, first) => {
        fc.pre(!/[{}<]/.test(before + after));
        const parts = [JSON.stringify(verdict(quoted, quoted)), signed(own, own)];
        const text = `${before} ${(first ? parts : parts.reverse()).join(after)}`;
        expect(values(readVerdicts(textReply(text), twoScores, NONCE))).toEqual({ correctness: own, relevance: own });
      }),
    );
  });

  it('gives up on hostile nesting instead of searching for ever', () => {
    const text = '{"'.repeat(200_000);
    expect(readVerdicts(textReply(text), twoScores, NONCE)).toMatchObject({ ok: false, cause: 'unparsable' });
  });
});

describe('stop reasons', () => {
  it.each(['end_turn', 'stop_sequence', 'tool_use'])('%s lets the reply be read', (stopReason) => {
    expect(readVerdicts(textReply(signed(1, 1), { stopReason }), twoScores, NONCE).ok).toBe(true);
  });
  it.each([
    'max_tokens',
    'guardrail_intervened',
    'content_filtered',
    'malformed_model_output',
    'malformed_tool_use',
    'model_context_window_exceeded',
    'refusal',
    'missing',
    '',
  ])('"%s" is a judge error whatever the text holds, and no second call mends it', (stopReason) => {
    const reading = readVerdicts(textReply(signed(1, 1), { stopReason }), twoScores, NONCE);
    expect(reading).toMatchObject({ ok: false, cause: 'stop-reason', repairable: false });
  });
});

describe('scores', () => {
  it.each([
    ['0.8', 0.8],
    ['80%', 0.8],
    [1, 1],
    [0, 0],
  ])('%j counts', (score, value) => {
    expect(values(readVerdicts(toolReply(verdict(score, 0.5)), twoScores, NONCE))).toEqual({
      correctness: value,
      relevance: 0.5,
    });
  });
  it.each([[4], [-0.5], [null], [true], [''], ['4/5'], ['good'], [undefined], [[1]]])(
    '%j makes the whole reply invalid',
    (score) => {
      const reading = readVerdicts(toolReply(verdict(score, 0.5)), twoScores, NONCE);
      expect(reading).toMatchObject({ ok: false, cause: 'unparsable', repairable: true });
      expect(reading).toHaveProperty('fault', expect.stringContaining('"correctness"'));
    },
  );

  it('names every metric that is missing', () => {
    const reading = readVerdicts(toolReply({ style: { score: 1, reason: '' } }), twoScores, NONCE);
    expect(reading).toMatchObject({ fault: '"correctness" is missing; "relevance" is missing' });
  });
  it('ignores metrics and keys nobody asked for', () => {
    const input = verdict(0.9, 0.7, { style: { score: 0.1, reason: 'dull' }, overall: 7 });
    expect(values(readVerdicts(toolReply(input), twoScores, NONCE))).toEqual({ correctness: 0.9, relevance: 0.7 });
  });
  it('keeps the raw score, its scale and the reason', () => {
    const reading = readVerdicts(toolReply(verdict(0.9, 0.7)), twoScores, NONCE);
    expect(reading.ok && reading.verdicts.get('correctness')).toEqual({
      value: 0.9,
      reason: 'Matches the reference.',
      rawLabel: null,
      rawScore: 0.9,
      scale: [0, 1],
      higherIsBetter: true,
    });
  });
  it('finds no verdict among inherited members', () => {
    const asks = [scoreAsk('constructor'), scoreAsk('__proto__')];
    expect(readVerdicts(toolReply({}), question(asks), NONCE).ok).toBe(false);
  });
});

describe('tool calls', () => {
  it('need no nonce and win over any text beside them', () => {
    const reply = toolReply(verdict(0.8, 0.6));
    const both = {
      ...reply,
      content: [{ kind: 'text', text: signed(1, 1) }, ...(reply as never as { content: [] }).content],
    };
    expect(values(readVerdicts(both as never, twoScores, NONCE))).toEqual({ correctness: 0.8, relevance: 0.6 });
  });
  it('may repeat themselves but not contradict', () => {
    expect(readVerdicts(toolReply(verdict(1, 1), verdict(1, 1)), twoScores, NONCE).ok).toBe(true);
    expect(readVerdicts(toolReply(verdict(1, 1), verdict(1, 0)), twoScores, NONCE).ok).toBe(false);
  });
  it.each([[null], ['no'], [[]], [7], ['{"correctness": 1e999}']])('with the input %j are unparsable', (input) => {
    expect(readVerdicts(toolReply(input), twoScores, NONCE)).toMatchObject({ ok: false, cause: 'unparsable' });
  });
  it('that never came leave a judge error', () => {
    const reply = {
      status: 'replied',
      stopReason: 'end_turn',
      content: [{ kind: 'reasoning' }],
      schemaText: false,
    } as const;
    expect(readVerdicts(reply, twoScores, NONCE)).toMatchObject({ ok: false, cause: 'unparsable' });
  });
});

describe('text under a schema', () => {
  const schema = (text: string) => readVerdicts(textReply(text, { schemaText: true }), twoScores, NONCE);
  it('is the verdict, without a nonce', () => {
    expect(values(schema(JSON.stringify(verdict(0.2, 0.4))))).toEqual({ correctness: 0.2, relevance: 0.4 });
  });
  it('may stand in a code fence or after a thinking block', () => {
    expect(schema(`\`\`\`json\n${JSON.stringify(verdict(1, 1))}\n\`\`\``).ok).toBe(true);
    expect(schema(`<think>{ hm</think>\n${JSON.stringify(verdict(1, 1))}`).ok).toBe(true);
  });
  it('is not searched for an object somewhere inside', () => {
    expect(schema(`Here: ${JSON.stringify(verdict(1, 1))}`).ok).toBe(false);
  });
  it('does not take lists as text', () => {
    const asks: JudgeAsk[] = [{ kind: 'claims', name: 'faithfulness', definition: '', of: 'answer' }];
    const text = JSON.stringify({ faithfulness: { reason: '', claims: '[]' } });
    expect(readVerdicts(textReply(text, { schemaText: true }), question(asks), NONCE).ok).toBe(false);
  });
});

describe('labels', () => {
  const asked = question([correctnessLabel]);
  const read = (label: unknown) => readVerdicts(toolReply({ correctness: { label, reason: 'r' } }), asked, NONCE);
  it('give the value by their place, and keep label and place', () => {
    const reading = read(' **Partially correct.** ');
    expect(reading.ok && reading.verdicts.get('correctness')).toEqual({
      value: 0.5,
      reason: 'r',
      rawLabel: 'partially correct',
      rawScore: 1,
      scale: [0, 2],
      higherIsBetter: true,
    });
  });
  it.each([['The answer is not correct.'], ['teilweise richtig'], [''], [1], [null], [undefined]])(
    '%j is unparsable',
    (label) => {
      expect(read(label)).toMatchObject({ ok: false, cause: 'unparsable' });
    },
  );
  it('may say that the question does not apply', () => {
    const ask: JudgeAsk = {
      kind: 'label',
      name: 'correctness',
      definition: '',
      labels: ['no', 'yes'],
      notApplicable: 'not applicable',
      higherIsBetter: false,
    };
    const reading = readVerdicts(
      toolReply({ correctness: { label: 'Not applicable', reason: '' } }),
      question([ask]),
      NONCE,
    );
    expect(reading.ok && reading.verdicts.get('correctness')).toMatchObject({ value: null, higherIsBetter: false });
  });
});

describe('claims', () => {
  const asked = question([{ kind: 'claims', name: 'faithfulness', definition: '', of: 'answer' }]);
  const read = (claims: unknown) => readVerdicts(toolReply({ faithfulness: { reason: 'why', claims } }), asked, NONCE);
  const claim = (supported: unknown) => ({ claim: 'c', supported });
  it.each([
    { name: 'supported ÷ all', claims: [claim(true), claim(true), claim(true), claim(false)], value: 0.75 },
    { name: 'exactly 1 for three of three', claims: [claim(true), claim(true), claim(true)], value: 1 },
    { name: '0 when none is supported', claims: [claim(false)], value: 0 },
    { name: 'not applicable without claims', claims: [], value: null },
    { name: 'read from JSON text, as some models deliver lists', claims: JSON.stringify([claim('true')]), value: 1 },
  ])('are $name', ({ claims, value }) => {
    const reading = read(claims);
    expect(reading.ok && reading.verdicts.get('faithfulness')?.value).toBe(value);
  });
  it('say how many are supported', () => {
    const reading = read([claim(true), claim(false)]);
    expect(reading.ok && reading.verdicts.get('faithfulness')).toMatchObject({
      reason: '1 of 2 claims supported: why',
      rawScore: 1,
      scale: [0, 2],
    });
  });
  it('are kept for people to read, 50 of them and 500 characters each at most', () => {
    const long = { claim: `${'x'.repeat(498)}\u{1F600}`.repeat(2), supported: true };
    const reading = read([claim(false), ...Array.from({ length: 80 }, () => long)]);
    const kept = reading.ok ? (reading.verdicts.get('faithfulness')?.claims ?? []) : [];
    expect(kept[0]).toEqual(claim(false));
    expect(kept).toHaveLength(50);
    expect(kept[1]?.claim).toHaveLength(500);
    expect(kept.every((one) => one.claim.isWellFormed())).toBe(true);
  });
  it.each([[undefined], [null], [{}], [[claim('maybe')]], [[{ supported: true }]], [[true]], ['none']])(
    '%j is unparsable',
    (claims) => {
      expect(read(claims)).toMatchObject({ ok: false, cause: 'unparsable' });
    },
  );
});

describe('passages', () => {
  const asked = question([{ kind: 'passages', name: 'context_precision', definition: '', count: 3 }]);
  const read = (passages: unknown) =>
    readVerdicts(toolReply({ context_precision: { reason: '', passages } }), asked, NONCE);
  const rulings = (...relevant: boolean[]) => relevant.map((is, index) => ({ id: index + 1, relevant: is }));
  it.each([
    { name: '1 when all are relevant', passages: rulings(true, true, true), value: 1 },
    { name: '1 when the relevant ones come first', passages: rulings(true, true, false), value: 1 },
    { name: '0 when none is', passages: rulings(false, false, false), value: 0 },
    { name: '1/2 for the second alone', passages: rulings(false, true, false), value: 0.5 },
    { name: '(1 + 2/3) ÷ 2 for first and third', passages: rulings(true, false, true), value: (1 + 2 / 3) / 2 },
    { name: 'in rank order whatever the order of the reply', passages: rulings(true, true, false).reverse(), value: 1 },
  ])('give $name', ({ passages, value }) => {
    const reading = read(passages);
    expect(reading.ok && reading.verdicts.get('context_precision')?.value).toBe(value);
  });
  it.each([
    { name: 'too few', passages: rulings(true, true) },
    { name: 'too many', passages: rulings(true, true, true, true) },
    { name: 'none', passages: [] },
    { name: 'one twice', passages: [...rulings(true, true), { id: 2, relevant: false }] },
    {
      name: 'numbers from 0',
      passages: rulings(true, true, true).map(({ id, relevant }) => ({ id: id - 1, relevant })),
    },
    { name: 'a number that is none', passages: [...rulings(true, true), { id: 'three', relevant: true }] },
  ])('are unparsable with $name', ({ passages }) => {
    expect(read(passages)).toMatchObject({ ok: false, cause: 'unparsable' });
  });
});

describe('recorded verdicts', () => {
  const asks: JudgeAsk[] = [
    scoreAsk('relevance'),
    correctnessLabel,
    { kind: 'claims', name: 'faithfulness', definition: '', of: 'answer' },
    { kind: 'passages', name: 'context_precision', definition: '', count: 2 },
  ];
  const read = (over: object) => {
    const verdicts = {
      relevance: { score: '70%', reason: 'ok' },
      correctness: { label: 'Correct.' },
      faithfulness: { score: 0.25 },
      context_precision: { score: 1 },
      ...over,
    };
    return readVerdicts({ status: 'recorded', verdicts: verdicts as never }, question(asks), NONCE);
  };
  it('are read by the rules of live ones, with a bare score for claims and passages', () => {
    expect(values(read({}))).toEqual({ relevance: 0.7, correctness: 1, faithfulness: 0.25, context_precision: 1 });
  });
  it('may give a label by its value', () => {
    const reading = read({ correctness: { score: 0.5, reason: '' } });
    expect(reading.ok && reading.verdicts.get('correctness')).toMatchObject({
      value: 0.5,
      rawLabel: 'partially correct',
    });
  });
  it('are not mended by asking again', () => {
    for (const over of [{ relevance: { score: 4 } }, { correctness: { score: 0.6 } }, { faithfulness: {} }]) {
      expect(read(over)).toMatchObject({ ok: false, cause: 'unparsable', repairable: false });
    }
  });
  it('that lack a metric are no verdict on record', () => {
    expect(readVerdicts({ status: 'recorded', verdicts: {} }, question(asks), NONCE)).toMatchObject({
      ok: false,
      cause: 'no-recorded-verdict',
    });
  });
});
