import { describe, expect, it } from 'vitest';
import { RateLimit } from '../support/rate-limit.ts';
import {
  httpEval,
  makeFolder,
  numberedRows,
  readResults,
  rightAnswer,
  runHere,
  runIds,
  startTarget,
  summaryOf,
} from './harness.ts';

const ROWS = 150;

async function throttledRun({ concurrency = 50, retries = 2, headers = {} }) {
  const limit = new RateLimit(60);
  const { url } = await startTarget((question) =>
    limit.allow() ? rightAnswer(question) : { status: 429, headers, body: { error: 'slow down' } },
  );
  const [target] = httpEval(url).targets as object[];
  const config = httpEval(url, { concurrency, canaries: false, targets: [{ ...target, retries }] });
  const folder = await makeFolder({ 'eval.json': config, 'rows.jsonl': numberedRows(ROWS) });
  const ended = await runHere(folder, '--json');
  const results = readResults(folder, runIds(folder)[0] ?? '');
  return { ended, limit, summary: summaryOf(ended), results };
}

describe('a target that takes few requests a second', { timeout: 60_000 }, () => {
  it.each([4, 50])('answers every row at concurrency %i, hardly asked in vain', async (concurrency) => {
    const { summary, limit, results, ended } = await throttledRun({ concurrency });
    expect(ended.code).toBe(0);
    expect(summary.counts).toMatchObject({ rows: ROWS, passed: ROWS, target_error: 0, skipped: 0 });
    expect(limit.allowed).toBe(ROWS);
    expect(limit.refused).toBeGreaterThan(0);
    expect(limit.refused).toBeLessThan(ROWS);
    // Every request is somebody's, throttled or not.
    expect(results.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(limit.allowed + limit.refused);
  });

  it('is told in the warnings, and in no decision', async () => {
    const { summary, results } = await throttledRun({});
    expect(summary.warnings.join('\n')).toMatch(/\d+ results?: throttled by the target/);
    expect(JSON.stringify(summary.decision)).not.toMatch(/throttle/);
    const requests = results.flatMap(({ warnings }) =>
      warnings.map((text) => Number(/: (\d+) request/.exec(text)?.[1])),
    );
    expect(requests.length).toBeGreaterThan(0);
    for (const count of requests) expect(count).toBeGreaterThan(0);
  });

  it('is asked once a row with retries: 0, and a throttled row fails', async () => {
    const { summary, limit } = await throttledRun({ retries: 0 });
    expect(limit.allowed + limit.refused).toBe(ROWS);
    expect(summary.counts).toMatchObject({ target_error: limit.refused, passed: limit.allowed });
  });
});
