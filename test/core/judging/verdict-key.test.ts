import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromCachedVerdict, toCachedVerdict } from '../../../src/core/judging/cached-verdict.ts';
import type { JudgeAsk, JudgeQuestion, Verdict } from '../../../src/core/judging/question.ts';
import { verdictKey } from '../../../src/core/judging/verdict-key.ts';
import { type JudgeConfig, JudgeConfigSchema } from '../../../src/core/schemas/judge-config.ts';
import type { Judgement } from '../../../src/core/scoring/eval-scoring.ts';

const label: JudgeAsk = { kind: 'label', name: 'judge', definition: 'd', labels: ['fail', 'pass'] };
const question: JudgeQuestion = {
  promptId: 'qa',
  asks: [label],
  input: 'q',
  expected: 'e',
  answer: 'a',
  contexts: null,
  rubric: null,
};
const judge = (fields: object = {}): JudgeConfig => JudgeConfigSchema.parse({ model: 'm', ...fields });
const openai = (fields: object = {}) => judge({ type: 'openai', url: 'http://a/v1', ...fields });

describe('verdictKey', () => {
  it('is a SHA-256, the same for the same question', () => {
    expect(verdictKey(judge(), question, 0)).toMatch(/^[0-9a-f]{64}$/);
    expect(verdictKey(judge(), { ...question }, 0)).toBe(verdictKey(judge(), question, 0));
  });

  it.each<{ what: string; config?: JudgeConfig; asked?: JudgeQuestion; trial?: number }>([
    { what: 'the model', config: judge({ model: 'n' }) },
    { what: 'the kind of judge', config: openai() },
    { what: 'the output budget', config: judge({ max_tokens: 200 }) },
    { what: 'the temperature', config: judge({ temperature: 0.5 }) },
    { what: 'the prompt', asked: { ...question, promptId: 'instruction' } },
    { what: 'the input', asked: { ...question, input: 'q2' } },
    { what: 'a nested input', asked: { ...question, input: { q: 1 } } },
    { what: 'the expected answer', asked: { ...question, expected: null } },
    { what: 'the answer', asked: { ...question, answer: 'a ' } },
    { what: 'the passages', asked: { ...question, contexts: [] } },
    { what: 'the rubric', asked: { ...question, rubric: 'r' } },
    { what: 'the steps', asked: { ...question, steps: 's' } },
    { what: 'the scale', asked: { ...question, asks: [{ ...label, labels: ['no', 'pass'] }] } },
    { what: 'the definition', asked: { ...question, asks: [{ ...label, definition: 'd2' }] } },
    { what: 'a further ask', asked: { ...question, asks: [label, { ...label, name: 'b' }] } },
    { what: 'the trial', trial: 1 },
  ])('changes with $what', ({ config = judge(), asked = question, trial = 0 }) => {
    expect(verdictKey(config, asked, trial)).not.toBe(verdictKey(judge(), question, 0));
  });

  it('changes with the server of a model of one’s own, but not with its key or time limit', () => {
    const key = verdictKey(openai(), question, 0);
    expect(verdictKey(openai({ url: 'http://b/v1' }), question, 0)).not.toBe(key);
    expect(verdictKey(openai({ api_key: '{{secrets.K}}', timeout_s: 5 }), question, 0)).toBe(key);
    expect(verdictKey(judge({ region: 'eu-west-1', timeout_s: 5 }), question, 0)).toBe(
      verdictKey(judge(), question, 0),
    );
  });

  it('does not let one field run into another', () => {
    const texts = fc.tuple(fc.string(), fc.string(), fc.string(), fc.string());
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const of = ([input, expected, answer, rubric]: typeof one) =>
          verdictKey(judge(), { ...question, input, expected, answer, rubric }, 0);
        return (of(one) === of(other)) === (JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });
});

describe('a kept verdict', () => {
  const verdict: Verdict = {
    value: 1,
    reason: 'r',
    rawLabel: 'pass',
    rawScore: 1,
    scale: [0, 1],
    higherIsBetter: true,
  };
  const judged = (fields: Partial<Verdict> = {}): Extract<Judgement, { status: 'judged' }> => ({
    status: 'judged',
    verdicts: new Map([['judge', { ...verdict, ...fields }]]),
    repaired: true,
    cached: false,
    votes: new Map(),
  });
  const stored = (entry: object): unknown => JSON.parse(JSON.stringify(entry));

  it('comes back as it was, marked as cached', () => {
    const entry = stored(toCachedVerdict('k', judged()));
    expect(fromCachedVerdict(entry, 'k', question)).toEqual({ ...judged(), cached: true });
  });

  it.each<{ what: string; entry: unknown }>([
    { what: 'nothing', entry: null },
    { what: 'a text', entry: 'pass' },
    { what: 'that of another key', entry: toCachedVerdict('other', judged()) },
    { what: 'one on another ask', entry: { key: 'k', repaired: false, verdicts: { tone: verdict } } },
    { what: 'one without a value', entry: toCachedVerdict('k', judged({ value: null })) },
    { what: 'a value beyond 1', entry: toCachedVerdict('k', judged({ value: 7 })) },
    { what: 'a label that is not on the scale', entry: toCachedVerdict('k', judged({ rawLabel: 'great' })) },
    { what: 'a label that does not go with its value', entry: toCachedVerdict('k', judged({ rawLabel: 'fail' })) },
    {
      what: 'a number as the reason',
      entry: { key: 'k', repaired: false, verdicts: { judge: { ...verdict, reason: 1 } } },
    },
    { what: 'an inherited name', entry: { key: 'k', repaired: false, verdicts: { __proto__: { judge: verdict } } } },
  ])('is none where $what lies', ({ entry }) => {
    expect(fromCachedVerdict(entry, 'k', question)).toBeNull();
  });

  it('that does not apply counts only where the scale has such a label', () => {
    const na = { ...question, asks: [{ ...label, notApplicable: 'n/a' }] };
    const entry = toCachedVerdict('k', judged({ value: null, rawLabel: 'n/a', rawScore: null, scale: null }));
    expect(fromCachedVerdict(entry, 'k', na)?.verdicts.get('judge')?.value).toBeNull();
    expect(fromCachedVerdict(entry, 'k', question)).toBeNull();
  });

  it('of claims that are none does not apply', () => {
    const asks: JudgeAsk[] = [{ kind: 'claims', name: 'judge', definition: 'd', of: 'answer' }];
    const entry = toCachedVerdict('k', judged({ value: null, rawLabel: null }));
    expect(fromCachedVerdict(entry, 'k', { ...question, asks })).not.toBeNull();
  });
});
