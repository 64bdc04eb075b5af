import { configOf, judged, type PreparedRun, resultOf, seeded } from './build-run.ts';
import { trend } from './history.ts';
import { questions } from './questions.ts';

const ROWS = 50;
const EVAL = {
  name: 'support-two-regions',
  description: 'The same assistant in two regions must answer alike, and within three seconds.',
  type: 'metrics',
  dataset: 'support.csv',
  targets: [
    { type: 'http', id: 'eu-central', url: 'https://eu.bot.example.com/answer' },
    { type: 'http', id: 'us-east', url: 'https://us.bot.example.com/answer' },
  ],
  judge: { model: 'us.amazon.nova-2-lite-v1:0' },
  metrics: ['correctness', 'relevance'],
  thresholds: { min_score: 0.8, max_p95_latency_ms: 3000 },
};

/** Both targets answer alike well; one of them takes five times as long. */
export function slowTarget(): PreparedRun {
  const config = configOf(EVAL, ROWS, 12);
  const random = seeded(11);
  const results = questions(ROWS).flatMap(({ id, tag, input, expected, good }, at) =>
    ['eu-central', 'us-east'].map((target) => {
      const near = 0.88 + 0.12 * random();
      const slow = target === 'us-east' ? 5 : 1;
      const latency_ms = Math.round((420 + 500 * random() + (at % 11 === 0 ? 320 : 0)) * slow);
      const verdict = judged({ correctness: near, relevance: near });
      return resultOf(config, at, {
        row_id: id,
        target,
        input,
        expected,
        output: good,
        tags: [tag],
        latency_ms,
        ...verdict,
      });
    }),
  );
  return { config, results, baseline: null, history: trend([0.98, 1, 1, 0.98, 1]) };
}
