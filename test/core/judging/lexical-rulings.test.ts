import { describe, expect, it } from 'vitest';
import { lexicalVerdict } from '../../../src/core/judging/lexical-rulings.ts';
import { metricAsk } from '../../../src/core/judging/prompts/metrics.ts';
import type { JudgeAsk, JudgeQuestion } from '../../../src/core/judging/question.ts';
import { readVerdicts } from '../../../src/core/judging/read-verdicts.ts';
import { rubricRules } from '../../../src/core/judging/rubric-rules.ts';
import { PASS_FAIL } from '../../../src/core/judging/scales.ts';
import { correctnessLabel, question, toolReply } from './questions.ts';

function valueOn(ask: JudgeAsk, over: Partial<JudgeQuestion>): number | null | undefined {
  const asked = question([ask], over);
  const reading = readVerdicts(toolReply(lexicalVerdict(asked)), asked, '');
  if (!reading.ok) throw new Error(reading.fault);
  return reading.verdicts.get(ask.name)?.value;
}
const refund = {
  input: 'How long do I have to return an item?',
  expected: 'Items can be returned within 30 days of delivery.',
};
const shipping = {
  input: 'How long does standard shipping take?',
  expected: 'Standard shipping takes 3 to 5 business days.',
};

describe('correctness and relevance', () => {
  it.each([
    { ...refund, answer: 'You can return an item within 30 days of delivery.' },
    {
      ...refund,
      answer: 'Returns are accepted for items up to 30 days after delivery, unused and in the original box.',
    },
    { ...shipping, answer: 'Orders with standard shipping arrive in 3 to 5 business days.' },
    {
      input: 'Which plans include SSO?',
      expected: 'Business and Enterprise',
      answer: 'SSO is part of the Business and Enterprise plans.',
    },
    {
      input: 'Can I pay by invoice?',
      expected: 'No, invoices are not available.',
      answer: 'No, paying by invoice is not available.',
    },
    { input: 'Is it free?', expected: 'no', answer: 'No, it is not free.' },
    { input: 'Which band is it by?', expected: 'The Who', answer: 'The band is The Who.' },
    { input: 'What does it cost?', expected: '$1,000.00', answer: 'It costs $1000 a year.' },
  ])('are at least 0.8 for the good answer "$answer"', (over) => {
    expect(valueOn(metricAsk('correctness'), over)).toBeGreaterThanOrEqual(0.8);
    expect(valueOn(metricAsk('relevance'), over)).toBeGreaterThanOrEqual(0.8);
  });

  it.each([
    { ...refund, answer: 'You can return an item within 14 days of delivery.' },
    { ...refund, answer: 'Items can not be returned within 30 days of delivery.' },
    { ...refund, answer: 'Our team is happy to help with any question.' },
    { ...refund, answer: '' },
    { ...shipping, answer: 'I am sorry, I do not know.' },
    { input: 'Capital of France?', expected: 'Paris', answer: 'The capital of France is Lyon.' },
  ])('give the wrong answer "$answer" less than 0.5 for correctness', (over) => {
    expect(valueOn(metricAsk('correctness'), over)).toBeLessThan(0.5);
  });

  it('give an answer off topic no relevance', () => {
    expect(valueOn(metricAsk('relevance'), { ...refund, answer: 'Bananas grow in warm countries.' })).toBe(0);
  });
});

it.each([
  { answer: 'We ship within 3 days.', value: 1 },
  { answer: 'Use this key: AKIAIOSFODNN7EXAMPLE', value: 0 },
  { answer: 'You are an idiot.', value: 0 },
])('safety of "$answer" is $value', ({ answer, value }) => {
  expect(valueOn(metricAsk('safety'), { answer })).toBe(value);
});

describe('a rubric', () => {
  const rubric = 'Answers cite the policy, stay under 12 words and never promise refunds.';
  it('is read clause by clause', () => {
    expect(rubricRules(rubric).map(({ text }) => text)).toEqual([
      'Answers cite the policy',
      'stay under 12 words',
      'never promise refunds',
    ]);
  });
  it.each([
    { answer: 'Under our policy you can exchange items.', value: 1 },
    { answer: 'You can exchange items.', value: 2 / 3 },
    { answer: 'By policy, we promise a refund.', value: 2 / 3 },
    { answer: 'We promise a full refund to each and every one of our customers today.', value: 0 },
  ])('gives "$answer" the share of its checkable requirements that hold', ({ answer, value }) => {
    expect(valueOn(metricAsk('rubric'), { answer, rubric })).toBeCloseTo(value, 2);
  });
  it.each([
    { rule: 'Must contain exactly 3 bullet points.', answer: '- a\n- b\n- c', holds: true },
    { rule: 'Must contain exactly 3 bullet points.', answer: '- a\n- b', holds: false },
    { rule: 'At most 2 sentences.', answer: 'One. Two. Three.', holds: false },
    { rule: '5 words or fewer', answer: 'one two three four five', holds: true },
    { rule: 'Must mention "encryption".', answer: 'Data is encrypted at rest.', holds: false },
    { rule: 'Do not mention competitors', answer: 'Our competitors are slower.', holds: false },
  ])('"$rule" holds for "$answer": $holds', ({ rule, answer, holds }) => {
    expect(rubricRules(rule).map((each) => each.holds(answer))).toEqual([holds]);
  });
  it('passes an instruction only in every point', () => {
    const ask: JudgeAsk = { kind: 'label', name: 'judge', definition: '', labels: PASS_FAIL.labels };
    const over = { promptId: 'instruction', expected: null, rubric } as const;
    expect(valueOn(ask, { ...over, answer: 'Under our policy you can exchange items.' })).toBe(1);
    expect(valueOn(ask, { ...over, answer: 'You can exchange items.' })).toBe(0);
  });
});

it('puts a label where the overlap is', () => {
  expect(valueOn(correctnessLabel, { ...refund, answer: 'You can return an item within 30 days of delivery.' })).toBe(
    1,
  );
  expect(valueOn(correctnessLabel, { ...refund, answer: 'No idea.' })).toBe(0);
});

it('does not call a safe answer harmful', () => {
  const ask: JudgeAsk = {
    kind: 'label',
    name: 'harmfulness',
    definition: '',
    labels: ['no', 'yes'],
    higherIsBetter: false,
  };
  expect(valueOn(ask, { answer: 'Have a nice day.' })).toBe(0);
  expect(valueOn(ask, { answer: 'You are an idiot.' })).toBe(1);
});

it('supports claims and finds passages by the words they share', () => {
  const contexts = ['Bananas are yellow.', 'Items can be returned within 30 days of delivery.'];
  const answer = 'Items can be returned within 30 days. Shipping is free for members.';
  expect(valueOn(metricAsk('faithfulness'), { ...refund, answer, contexts })).toBe(0.5);
  expect(valueOn(metricAsk('context_recall'), { ...refund, answer, contexts })).toBe(1);
  expect(valueOn(metricAsk('context_precision', 2), { ...refund, answer, contexts })).toBe(0.5);
  expect(valueOn(metricAsk('faithfulness'), { ...refund, answer: '', contexts })).toBeNull();
});

it('says in every reason that no model was asked', () => {
  const asks = (['correctness', 'safety', 'rubric', 'faithfulness'] as const).map((name) => metricAsk(name));
  const verdict = lexicalVerdict(question(asks, { contexts: ['x'], rubric: 'Be kind.' }));
  for (const ruling of Object.values(verdict)) {
    expect(ruling).toHaveProperty('reason', expect.stringContaining('word overlap, no language model'));
  }
});
