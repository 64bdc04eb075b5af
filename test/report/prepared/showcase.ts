import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { RunConfig } from '../../../src/core/schemas/run.ts';
import { scored } from '../../../src/core/schemas/score.ts';
import { configOf, type PreparedRun, resultOf, seeded } from './build-run.ts';
import { trend } from './history.ts';
import { questions } from './questions.ts';

const ROWS = 24;
const TRIALS = 3;
const JUDGES = ['us.amazon.nova-2-lite-v1:0', 'us.anthropic.claude-haiku-4-5', 'mistral.large-3'];
const EVAL = {
  name: 'support-agent',
  description: 'Two versions of the support agent, each asked three times, judged by a jury of three.',
  type: 'metrics',
  dataset: 'support.csv',
  targets: [
    { type: 'http', id: 'agent-v1', url: 'https://v1.bot.example.com/answer' },
    { type: 'http', id: 'agent-v2', url: 'https://v2.bot.example.com/answer' },
  ],
  judge: JUDGES.map((model) => ({ model })),
  metrics: ['correctness', 'faithfulness'],
  trials: TRIALS,
  trial_policy: 'majority',
  latency_budget_ms: 2500,
  thresholds: { min_score: 0.8, metric_floors: { correctness: 0.9 } },
  baseline: 'last-pass',
};

/** Something of everything a report can show: targets, trials that disagree, a jury that differs, passages, tool calls, clusters. */
export function showcase(): PreparedRun {
  const [before, now] = [configOf(EVAL, ROWS, 11), configOf(EVAL, ROWS, 12)];
  return {
    config: now,
    results: results(now, 5, 0.2),
    baseline: { config: before, results: results(before, 5, 0.1) },
    history: trend([0.7, 0.83, 0.87, null, 0.91, 0.87, 0.75, 0.83, 0.87, 0.91, 0.95]),
  };
}

function results(config: RunConfig, seed: number, wrongShare: number): RowResult[] {
  const random = seeded(seed);
  return questions(ROWS).flatMap(({ id, tag, input, expected, good, bad }, at) =>
    ['agent-v1', 'agent-v2'].flatMap((target) =>
      Array.from({ length: TRIALS }, (_, trial) => {
        const roll = random();
        const latency_ms = Math.round((target === 'agent-v1' ? 900 : 1500) * (0.6 + random()));
        const row = {
          row_id: id,
          target,
          trial,
          input,
          expected,
          tags: [tag],
          latency_ms,
          cluster: `ticket-${Math.floor(at / 3)}`,
          difficulty: at % 4 === 0 ? 'hard' : 'easy',
        };
        if (roll > 0.985) {
          const error = 'no answer within 60 s';
          return resultOf(config, at, {
            ...row,
            status: 'target_error',
            cause: 'timeout',
            error,
            passed: false,
            score: 0,
            latency_ms: 60_000,
          });
        }
        const wrong = roll < wrongShare;
        const value = wrong ? 0 : 0.8 + 0.2 * random();
        return resultOf(config, at, {
          ...row,
          output: wrong ? bad : good,
          ...evidence(good, latency_ms, wrong),
          ...verdict(value, random),
        });
      }),
    ),
  );
}

function evidence(good: string, latency: number, wrong: boolean): Partial<RowResult> {
  const [first = good, second = 'Opening hours: Monday to Friday, 9:00 to 18:00.'] = good.split('. ');
  const search = { name: 'search_handbook', arguments: { query: first.slice(0, 40) }, result: { hits: 2 } };
  const broken = { name: 'get_order', arguments: { id: 4711 }, error: 'no such order' };
  return {
    contexts: [first, second],
    trajectory: {
      steps: [
        { type: 'thought', content: 'The handbook should say.', latency_ms: latency * 0.2 },
        { type: 'tool_call', tool_call: search, latency_ms: latency * 0.5 },
        ...(wrong ? [{ type: 'tool_call' as const, tool_call: broken, latency_ms: latency * 0.1 }] : []),
        { type: 'answer', content: good, latency_ms: latency * 0.2 },
      ],
    },
  };
}

function verdict(value: number, random: () => number): Partial<RowResult> {
  const votes = JUDGES.map((judge, at) => {
    const differs = at === 2 && random() < 0.25;
    return { judge, value: differs ? Math.max(0, value - 0.5) : value, label: null, error: null };
  });
  const claims = [
    { claim: 'Items come back within the window that the handbook names.', supported: value > 0 },
    { claim: 'The receipt is needed.', supported: true },
  ];
  const reason = value > 0 ? 'Says what the handbook says.' : 'Contradicts the handbook.';
  const score = (value + Math.max(value, 0.5)) / 2;
  return {
    score,
    passed: score >= 0.8,
    scores: {
      correctness: scored(value, reason, { votes }),
      faithfulness: scored(
        Math.max(value, 0.5),
        `${claims.filter(({ supported }) => supported).length} of 2 claims supported`,
        { votes, claims },
      ),
    },
  };
}
