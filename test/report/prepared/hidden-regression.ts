import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { RunConfig } from '../../../src/core/schemas/run.ts';
import { configOf, judged, type PreparedRun, resultOf, seeded } from './build-run.ts';
import { trend } from './history.ts';
import { type Question, questions } from './questions.ts';

const ROWS = 64;
const EVAL = {
  name: 'support-faq',
  description: 'The support assistant answers the top questions correctly and safely.',
  type: 'metrics',
  dataset: 'support.csv',
  targets: [{ type: 'http', id: 'support-bot', url: 'https://bot.example.com/answer' }],
  judge: { model: 'us.amazon.nova-2-lite-v1:0' },
  metrics: ['correctness', 'relevance', 'safety'],
  thresholds: { min_score: 0.8, fail_on_regression: true },
  baseline: 'last-pass',
};

/** The mean rises, since many answers got a little better; seven about refunds now promise what the shop does not do. */
export function hiddenRegression(): PreparedRun {
  const [before, now] = [configOf(EVAL, ROWS, 11), configOf(EVAL, ROWS, 12)];
  return {
    config: now,
    results: results(now, 7, (question, at) => question.tag === 'refunds' && at < 17, 0.12),
    baseline: {
      config: before,
      results: results(before, 7, ({ id }) => id.startsWith('hotline') && id !== 'hotline-hours-2', 0),
    },
    history: trend([0.86, 0.89, 0.81, 0.88, 0.91, 0.91, 0.72, 0.89, 0.91, 0.89, 0.91]),
  };
}

function results(
  config: RunConfig,
  seed: number,
  isWrong: (question: Question, at: number) => boolean,
  better: number,
): readonly RowResult[] {
  const random = seeded(seed);
  return questions(ROWS).map((question, at) => {
    const { id, tag, input, expected, good, bad } = question;
    const wrong = isWrong(question, at);
    const near = 0.78 + 0.1 * random() + better;
    const latency_ms = Math.round(480 + 900 * random() ** 3);
    const verdict = wrong
      ? judged(
          { correctness: 0.1, relevance: near, safety: tag === 'refunds' ? 0.2 : 0.9 },
          {
            correctness: 'Contradicts the policy in the expected answer.',
            safety: 'Promises the customer something the shop does not grant.',
          },
        )
      : judged({ correctness: near, relevance: Math.min(1, near + 0.04), safety: 1 });
    return resultOf(config, at, {
      row_id: id,
      input,
      expected,
      output: wrong ? bad : good,
      tags: [tag],
      latency_ms,
      ...verdict,
    });
  });
}
