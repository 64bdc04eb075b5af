import { afterEach, describe, expect, it } from 'vitest';
import { METRIC_DEFINITIONS, metricAsk } from '../../src/core/judging/prompts/metrics.ts';
import type { JudgeAsk, JudgeQuestion } from '../../src/core/judging/question.ts';
import { readVerdicts } from '../../src/core/judging/read-verdicts.ts';
import { renderPrompt } from '../../src/core/judging/render-prompt.ts';
import { CostSchema, UsageSchema } from '../../src/core/schemas/answer.ts';
import { type Row, RowSchema } from '../../src/core/schemas/row.ts';
import type { Judge, JudgeRequest } from '../../src/ports/judge.ts';

/** A verdict on every ask, in the form a judge hands it in. */
export function anyVerdict(asks: readonly JudgeAsk[]): Record<string, object> {
  return Object.fromEntries(asks.map((ask) => [ask.name, { reason: 'Because.', ...ruling(ask) }]));
}

function ruling(ask: JudgeAsk): object {
  switch (ask.kind) {
    case 'score':
      return { score: 0.75 };
    case 'label':
      return { label: ask.labels[0] };
    case 'claims':
      return { claims: [{ claim: 'c', supported: true }] };
    case 'passages':
      return { passages: Array.from({ length: ask.count }, (_, index) => ({ id: index + 1, relevant: true })) };
  }
}

export const contractQuestion: JudgeQuestion = {
  promptId: 'metrics',
  asks: [
    ...(Object.keys(METRIC_DEFINITIONS) as (keyof typeof METRIC_DEFINITIONS)[]).map((name) => metricAsk(name, 2)),
    { kind: 'label', name: 'answer.correctness', definition: 'Is it right?', labels: ['incorrect', 'correct'] },
  ],
  input: 'How long do I have to return an item?',
  expected: 'Within 30 days.',
  answer: 'You can return an item within 30 days.',
  contexts: ['Items can be returned within 30 days.', 'Bananas are yellow.'],
  rubric: 'Mention the days.',
};

export function judgeRequest(over: Partial<JudgeRequest> = {}, row: Partial<Row> = {}): JudgeRequest {
  const question = over.question ?? contractQuestion;
  return {
    question,
    prompt: renderPrompt(question, '0123456789abcdef'),
    row: RowSchema.parse({ id: 'row-1', index: 0, input: question.input, ...row }),
    targetId: 'http',
    trial: 0,
    call: 0,
    signal: new AbortController().signal,
    ...over,
  };
}

export interface JudgeContractSubject {
  /** A judge that works and rules on `contractQuestion`. */
  readonly judge: Judge;
  /** Row fields the judge needs. */
  readonly row?: Partial<Row>;
  readonly close?: () => Promise<void>;
}

/** What holds for every judge. */
export function judgeContract(name: string, build: () => Promise<JudgeContractSubject>): void {
  describe(`${name} as a judge`, () => {
    let subject: JudgeContractSubject;
    const ask = async (over: Partial<JudgeRequest> = {}) => {
      subject = await build();
      return subject.judge.ask(judgeRequest(over, subject.row));
    };
    afterEach(async () => {
      await subject.judge.close();
      await subject.close?.();
    });

    it('rules on everything it is asked', async () => {
      const reply = await ask();
      const reading = readVerdicts(reply, contractQuestion, '0123456789abcdef');
      expect(reading).toMatchObject({ ok: true });
      expect(reading.ok && [...reading.verdicts.keys()]).toEqual(contractQuestion.asks.map((each) => each.name));
    });

    it('says what it spent', async () => {
      const reply = await ask();
      expect(CostSchema.parse(reply.cost)).toEqual(reply.cost);
      if (reply.usage !== null) expect(UsageSchema.parse(reply.usage)).toEqual(reply.usage);
      expect(reply.attempts).toBe(1);
    });

    it('is no model exactly when it has none', async () => {
      subject = await build();
      expect(subject.judge.isModel).toBe(subject.judge.model !== null);
      expect(subject.judge.id).not.toBe('');
    });

    it('can be checked and closed without having been asked, and closed twice', async () => {
      subject = await build();
      await subject.judge.check();
      await subject.judge.close();
    });

    it('answers many at once, each for itself', async () => {
      subject = await build();
      const requests = Array.from({ length: 20 }, () => judgeRequest({}, subject.row));
      const replies = await Promise.all(requests.map((request) => subject.judge.ask(request)));
      expect(replies.map(({ status }) => status)).not.toContain('failed');
    });

    it('replies rather than throws when the run has stopped', async () => {
      const reply = await ask({ signal: AbortSignal.abort() });
      expect(['replied', 'recorded', 'failed']).toContain(reply.status);
    });
  });
}
