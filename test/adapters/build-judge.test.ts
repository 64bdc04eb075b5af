import { expect, it } from 'vitest';
import { createJudge, type JudgeDeps } from '../../src/adapters/build-judge.ts';
import { PRICES } from '../../src/core/cost/price-table.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { JudgeConfigSchema } from '../../src/core/schemas/judge-config.ts';
import { InstantClock } from '../contracts/instant-clock.ts';
import { judgeRequest } from '../contracts/judge.ts';

const deps: JudgeDeps = {
  clock: new InstantClock(),
  random: () => 0,
  prices: PRICES,
  secrets: { read: async () => new Map() },
  env: {},
};

it.each([
  { config: { model: 'us.amazon.nova-micro-v1:0' }, id: 'us.amazon.nova-micro-v1:0', type: 'bedrock', isModel: true },
  { config: { type: 'openai', url: 'http://127.0.0.1/v1', model: 'm' }, id: 'm', type: 'openai', isModel: true },
  { config: { type: 'lexical' }, id: 'lexical', type: 'lexical', isModel: false },
  { config: { type: 'recorded' }, id: 'recorded', type: 'recorded', isModel: false },
])('makes a $type judge', ({ config, id, type, isModel }) => {
  expect(createJudge(JudgeConfigSchema.parse(config), deps)).toMatchObject({ id, type, isModel });
});

it('replays a former run where one can be opened, and says so where not', async () => {
  const config = JudgeConfigSchema.parse({ type: 'recorded', from: 'r-1' });
  expect(() => createJudge(config, deps)).toThrow(ConfigError);
  const verdicts = { relevance: { score: 1 } };
  const judge = createJudge(config, {
    ...deps,
    openFormerRun: (runId) => async () => (runId === 'r-1' ? verdicts : null),
  });
  expect(await judge.ask(judgeRequest())).toMatchObject({ status: 'recorded', verdicts });
});
