import { unscored } from '../../../src/core/schemas/score.ts';
import { configOf, judged, type PreparedRun, resultOf, seeded } from './build-run.ts';
import { trend } from './history.ts';
import { questions } from './questions.ts';

const ROWS = 80;
const OUTAGE_FROM = 45;
const SAID = 'ThrottlingException: Too many requests, please wait before trying again. (5 attempts)';
const EVAL = {
  name: 'support-faq',
  description: 'The support assistant answers the top questions correctly and safely.',
  type: 'metrics',
  dataset: 'support.csv',
  targets: [{ type: 'http', id: 'support-bot', url: 'https://bot.example.com/answer' }],
  judge: { model: 'us.amazon.nova-2-lite-v1:0' },
  metrics: ['correctness', 'relevance', 'safety'],
  thresholds: { min_score: 0.8 },
};

/** Every answer is good; from row 45 on the judge is throttled, save for a few. */
export function judgeOutage(): PreparedRun {
  const config = configOf(EVAL, ROWS, 12);
  const random = seeded(3);
  const results = questions(ROWS).map(({ id, tag, input, expected, good }, at) => {
    const row = {
      row_id: id,
      input,
      expected,
      output: good,
      tags: [tag],
      latency_ms: Math.round(500 + 700 * random() ** 3),
    };
    const near = 0.86 + 0.14 * random();
    if (at < OUTAGE_FROM || at % 9 === 0)
      return resultOf(config, at, { ...row, ...judged({ correctness: near, relevance: near, safety: 1 }) });
    const none = unscored('judge-unavailable', SAID);
    const cause = at % 7 === 0 ? 'timeout' : 'throttled';
    const error = cause === 'timeout' ? 'the judge gave no verdict within 60 s' : SAID;
    const scores = { correctness: none, relevance: none, safety: none };
    return resultOf(config, at, { ...row, status: 'judge_error', cause, error, passed: false, score: null, scores });
  });
  return { config, results, baseline: null, history: trend([0.93, 0.95, 0.9, null, 0.94, 0.96, 0.95]) };
}
