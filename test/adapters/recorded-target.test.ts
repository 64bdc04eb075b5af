import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { RecordedTarget } from '../../src/adapters/recorded-target.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { RecordedTargetSchema } from '../../src/core/schemas/target-config.ts';
import { describeTargetContract } from '../contracts/target.ts';
import { makeRow } from '../fixtures/make-row.ts';

type Config = Partial<z.input<typeof RecordedTargetSchema>>;
type Fields = NonNullable<Parameters<typeof makeRow>[0]>;

function make(config: Config = {}) {
  return new RecordedTarget({ ...RecordedTargetSchema.parse({ type: 'recorded', ...config }), id: 'recorded' });
}

function ask(fields: Fields, config: Config = {}, trial = 0) {
  return make(config).ask({ row: makeRow(fields), trial, signal: new AbortController().signal });
}

const steps = [
  { type: 'thought', content: 'hm' },
  { type: 'answer', content: 'from the step' },
];

describe('RecordedTarget', () => {
  it('spends nothing and measures nothing', async () => {
    expect(await ask({ output: 'a' })).toEqual({
      status: 'answered',
      answer: { text: 'a' },
      latencyMs: null,
      attempts: 0,
      usage: null,
      cost: { status: 'metered', usd: 0 },
    });
  });

  it.each<{ name: string; fields: Fields; config?: Config; trial?: number; text: string }>([
    { name: 'an empty answer', fields: { output: '' }, text: '' },
    { name: 'zero', fields: { output: 0 }, text: '0' },
    { name: 'false', fields: { output: false }, text: 'false' },
    { name: 'an object', fields: { output: { b: 1, a: 2 } }, text: '{"a":2,"b":1}' },
    { name: 'one answer for every trial', fields: { output: 'a' }, trial: 2, text: 'a' },
    { name: 'the entry of the trial', fields: { output: ['a', 'b'] }, trial: 1, text: 'b' },
    { name: 'an empty entry', fields: { output: ['a', ''] }, trial: 1, text: '' },
    { name: 'a path into metadata', fields: { metadata: { old: 'm' } }, config: { output: 'metadata.old' }, text: 'm' },
    {
      name: 'a column by its name',
      fields: { metadata: { answer_v2: 'm' } },
      config: { output: 'answer_v2' },
      text: 'm',
    },
    {
      name: 'a path within the output',
      fields: { output: { text: 'x' } },
      config: { output: 'output.text' },
      text: 'x',
    },
    { name: "the trajectory's final answer", fields: { trajectory: { steps, final_answer: 'final' } }, text: 'final' },
    { name: 'its last answer step', fields: { trajectory: { steps } }, text: 'from the step' },
    { name: 'no final answer as an empty one', fields: { trajectory: { steps: [] } }, text: '' },
    { name: 'the output before the trajectory', fields: { output: 'out', trajectory: { steps } }, text: 'out' },
  ])('replays $name', async ({ fields, config, trial, text }) => {
    expect(await ask(fields, config, trial)).toMatchObject({ status: 'answered', answer: { text } });
  });

  it.each<{ name: string; fields: Fields; config?: Config; trial?: number; cause: string; says: string }>([
    { name: 'nothing', fields: {}, cause: 'no-recorded-answer', says: 'output' },
    { name: 'null', fields: { output: null }, cause: 'no-recorded-answer', says: 'output' },
    { name: 'an empty list', fields: { output: [] }, cause: 'no-recorded-answer', says: 'trial 1' },
    {
      name: 'fewer entries than trials',
      fields: { output: ['a'] },
      trial: 1,
      cause: 'no-recorded-answer',
      says: 'trial 2',
    },
    { name: 'a null entry', fields: { output: ['a', null] }, trial: 1, cause: 'no-recorded-answer', says: 'trial 2' },
    {
      name: 'a column that is not there',
      fields: { output: 'a' },
      config: { output: 'old' },
      cause: 'no-recorded-answer',
      says: '"old"',
    },
    {
      name: 'contexts that were asked for',
      fields: { output: 'a' },
      config: { contexts: 'docs' },
      cause: 'no-recorded-answer',
      says: '"docs"',
    },
    {
      name: 'a trajectory that was asked for',
      fields: { output: 'a' },
      config: { trajectory: 'run' },
      cause: 'no-recorded-answer',
      says: '"run"',
    },
    {
      name: 'a trajectory that is none',
      fields: { output: 'a', trajectory: 'text' },
      cause: 'path-not-found',
      says: 'trajectory',
    },
    { name: 'a crash', fields: { output: 'a', trajectory: { steps, error: 'boom' } }, cause: 'crashed', says: 'boom' },
    { name: 'a crash without words', fields: { trajectory: { steps, error: '' } }, cause: 'crashed', says: 'crashed' },
  ])('$name is a target error', async ({ fields, config, trial, cause, says }) => {
    const reply = await ask(fields, config, trial);
    expect(reply).toMatchObject({
      status: 'failed',
      cause,
      message: expect.stringContaining(says),
      attempts: 0,
      latencyMs: null,
    });
  });

  it('keeps the steps of an agent that crashed', async () => {
    expect(await ask({ trajectory: { steps, error: 'boom' } })).toMatchObject({
      answer: { trajectory: { steps, error: 'boom' } },
    });
  });

  it.each<{ name: string; fields: Fields; config?: Config; contexts: string[] | undefined }>([
    { name: 'those of the row', fields: { contexts: ['p', 'q'] }, contexts: ['p', 'q'] },
    { name: 'none', fields: {}, contexts: undefined },
    {
      name: 'a column',
      fields: { metadata: { docs: '["p",{"text":"q"}]' } },
      config: { contexts: 'docs' },
      contexts: ['p', 'q'],
    },
    {
      name: 'one list a trial',
      fields: { metadata: { docs: [['p'], ['q']] } },
      config: { contexts: 'docs' },
      contexts: ['p'],
    },
  ])('takes as contexts $name', async ({ fields, config, contexts }) => {
    const reply = await ask({ output: 'a', ...fields }, config);
    expect(reply.status === 'answered' && reply.answer.contexts).toEqual(contexts);
  });

  it.each<{ name: string; trajectory: Fields['trajectory']; trial: number; first: string }>([
    { name: 'a list of steps', trajectory: steps, trial: 1, first: 'hm' },
    { name: 'JSON text of a CSV cell', trajectory: JSON.stringify({ steps }), trial: 0, first: 'hm' },
    { name: 'one a trial', trajectory: [{ steps: [] }, { steps }], trial: 1, first: 'hm' },
    { name: 'a list of steps a trial', trajectory: [[], steps], trial: 1, first: 'hm' },
  ])('reads as trajectory $name', async ({ trajectory, trial, first }) => {
    const reply = await ask({ output: 'a', trajectory }, {}, trial);
    expect(reply.status === 'answered' && reply.answer.trajectory?.steps[0]?.content).toBe(first);
  });

  it('refuses a path that is none', () => {
    expect(() => make({ output: 'a..b' })).toThrow(ConfigError);
  });
});

describeTargetContract('RecordedTarget', async () => ({
  target: make(),
  answers: { row: makeRow({ output: 'ok' }), text: 'ok' },
  failing: makeRow(),
  dispose: async () => {},
}));
