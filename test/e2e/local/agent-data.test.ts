import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import type { RunSummary } from '../../../src/core/schemas/summary.ts';
import { makeFolder, readResults, runFile, runHere, SHARED_DATA, summaryOf } from './harness.ts';

const TAU = join(SHARED_DATA, 'tau-airline/trajectories.jsonl.gz');
const HALUEVAL = join(SHARED_DATA, 'halueval-qa/qa_one_turn.jsonl');
for (const file of [TAU, HALUEVAL]) if (!existsSync(file)) console.log(`agents and RAG: skipped, there is no ${file}`);

const TRIALS = 4;

interface Recorded {
  readonly task_id: number;
  readonly trial: number;
  readonly reward: number;
  readonly instruction: string;
  readonly expected_actions: readonly { readonly name: string; readonly kwargs: Record<string, unknown> }[];
  readonly trajectory: {
    readonly steps: readonly { readonly tool_call?: { readonly name: string; readonly arguments: object } }[];
  };
}

describe.skipIf(!existsSync(TAU))('tau-bench airline: 30 tasks, four recorded trials each', () => {
  const recorded: Recorded[] = existsSync(TAU) ? readJsonLines(gunzipSync(readFileSync(TAU)).toString('utf8')) : [];
  const tasks = [...Map.groupBy(recorded, ({ task_id }) => task_id)].map(([id, runs]) => ({
    id,
    runs: runs.toSorted((a, b) => a.trial - b.trial),
  }));
  const rows = tasks.map(({ id, runs }) => ({
    id: `task-${id}`,
    input: runs[0]?.instruction,
    expected: 'solved',
    outcome: runs.map(({ reward }) => (reward === 1 ? 'solved' : 'not solved')),
    trajectory: runs.map(({ trajectory }) => trajectory),
    checks: {
      answer_match: 'exact',
      must_call_with: runs[0]?.expected_actions.map(({ name, kwargs }) => ({ tool: name, args: kwargs })),
    },
  }));
  const evaluate = async (more: Record<string, unknown>) => {
    const folder = await makeFolder({
      'rows.jsonl': rows,
      'eval.json': {
        name: 'airline',
        type: 'agent',
        dataset: 'rows.jsonl',
        targets: [{ type: 'recorded', output: 'outcome' }],
        trials: TRIALS,
        ...more,
      },
    });
    const summary = summaryOf(await runHere(folder, '--json'));
    return { summary, results: readResults(folder, summary.run_id), folder };
  };

  // Worked out from the file alone, without a line of the scorer.
  const toolShare = ({ expected_actions: wanted, trajectory }: Recorded): number => {
    const calls = trajectory.steps.flatMap((step) => step.tool_call ?? []);
    const met = wanted.filter(({ name, kwargs }) =>
      calls.some((call) => {
        const given = call.arguments as Record<string, unknown>;
        return (
          call.name === name &&
          Object.keys(kwargs).every((key) => key in given && isDeepStrictEqual(given[key], kwargs[key]))
        );
      }),
    );
    return wanted.length === 0 ? 1 : met.length / wanted.length;
  };
  /** The rates at which the observed share lies 1.959964 standard errors off. */
  const wilsonBounds = (count: number, n: number): readonly [number, number] => {
    const distance = (rate: number) => Math.abs(count / n - rate) - 1.959964 * Math.sqrt((rate * (1 - rate)) / n);
    const meet = (inside: number, outside: number): number => {
      let [near, far] = [inside, outside];
      for (let step = 0; step < 60; step += 1) {
        const middle = (near + far) / 2;
        if (distance(middle) > 0) far = middle;
        else near = middle;
      }
      return near;
    };
    return [meet(count / n, 0), meet(count / n, 1)];
  };
  const expectInterval = (found: readonly [number, number] | null | undefined, wanted: readonly [number, number]) => {
    expect(found?.[0]).toBeCloseTo(wanted[0], 5);
    expect(found?.[1]).toBeCloseTo(wanted[1], 5);
  };
  const choose = (n: number, k: number): number => (k === 0 ? 1 : k > n ? 0 : (choose(n - 1, k - 1) * n) / k);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const expectRepeats = (summary: RunSummary, passed: (run: Recorded) => boolean) => {
    const passes = tasks.map(({ runs }) => runs.filter(passed).length);
    const [repeats, ...others] = summary.repeats ?? [];
    expect(others).toEqual([]);
    const flaky = passes.filter((count) => count > 0 && count < TRIALS).length;
    expect(repeats).toMatchObject({ target: 'recorded', trials: TRIALS, rows: 30, flaky });
    expect(repeats?.flake_rate).toBeCloseTo(flaky / 30, 12);
    expect(summary.counts.flaky).toBe(flaky);
    for (let k = 1; k <= TRIALS; k += 1) {
      const all = mean(passes.map((count) => choose(count, k) / choose(TRIALS, k)));
      const none = mean(passes.map((count) => choose(TRIALS - count, k) / choose(TRIALS, k)));
      expect(repeats?.pass_hat[k - 1]).toBeCloseTo(all, 12);
      expect(repeats?.pass_at[k - 1]).toBeCloseTo(1 - none, 12);
    }
    // Intervals over the 30 tasks: where both sides of Wilson's equation meet, found by halving.
    const always = passes.filter((count) => count === TRIALS).length;
    expectInterval(repeats?.flake_rate_ci95, wilsonBounds(flaky, 30));
    expectInterval(repeats?.pass_hat_ci95?.[TRIALS - 1], wilsonBounds(always, 30));
    // pass^2 is no share of tasks but a mean over them: t on 29 is 2.045230.
    const pairs = passes.map((count) => choose(count, 2) / choose(TRIALS, 2));
    const deviation = Math.sqrt(pairs.reduce((sum, pair) => sum + (pair - mean(pairs)) ** 2, 0) / 29 / 30);
    expectInterval(repeats?.pass_hat_ci95?.[1], [mean(pairs) - 2.04523 * deviation, mean(pairs) + 2.04523 * deviation]);
  };

  it('passes by reward: flakiness and pass^k agree with the file', async () => {
    const { summary, results } = await evaluate({ thresholds: { min_tool_score: null, pass_rate: 0 } });
    expect(summary.counts).toMatchObject({ rows: 30, results: 120, scored: 120 });
    const solvedAlways = tasks.filter(({ runs }) => runs.every(({ reward }) => reward === 1)).length;
    expect(summary.counts.passed).toBe(solvedAlways);
    expectRepeats(summary, ({ reward }) => reward === 1);
    for (const result of results) expect(result.passed).toBe(runOf(result).reward === 1);
  });

  it('passes by tools: every tool_score agrees with the file', async () => {
    const { summary, results } = await evaluate({ thresholds: { min_answer_score: null, pass_rate: 0 } });
    for (const result of results) {
      const share = toolShare(runOf(result));
      expect(result.scores.tool_score?.value).toBeCloseTo(share, 12);
      expect(result.passed).toBe(share === 1);
    }
    expect(summary.metrics.tool_score?.mean).toBeCloseTo(mean(recorded.map(toolShare)), 12);
    expectRepeats(summary, (run) => toolShare(run) === 1);
  });

  it.each(['majority', 'any'] as const)('reduces trials by the policy %s', async (trial_policy) => {
    const { summary } = await evaluate({ trial_policy, thresholds: { min_tool_score: null, pass_rate: 0 } });
    const needed = trial_policy === 'any' ? 1 : 3;
    const passes = tasks.filter(({ runs }) => runs.filter(({ reward }) => reward === 1).length >= needed);
    expect(summary.counts.passed).toBe(passes.length);
  });

  it('keeps every step, and the report shows them', async () => {
    const { summary, results, folder } = await evaluate({ thresholds: { min_tool_score: null, pass_rate: 0 } });
    for (const result of results) expect(result.trajectory).toEqual(runOf(result).trajectory);
    const report = readFileSync(runFile(folder, summary.run_id, 'report.html'), 'utf8');
    expect(report).toContain('pass^4');
    expect(report).toContain('search_direct_flight');
  });

  const runOf = (result: RowResult): Recorded => {
    const task = tasks.find(({ id }) => `task-${id}` === result.row_id);
    const run = task?.runs[result.trial];
    if (run === undefined) throw new Error(`nothing recorded for ${result.row_id}, trial ${result.trial}`);
    return run;
  };
});

interface Question {
  readonly knowledge: string;
  readonly question: string;
  readonly right_answer: string;
  readonly hallucinated_answer: string;
}

describe.skipIf(!existsSync(HALUEVAL))('HaluEval: right and made-up answers as two recorded targets', () => {
  const questions: Question[] = existsSync(HALUEVAL) ? readJsonLines(readFileSync(HALUEVAL, 'utf8')) : [];
  const targets = [
    { type: 'recorded', id: 'right', output: 'right_answer' },
    { type: 'recorded', id: 'made-up', output: 'hallucinated_answer' },
  ];
  const rows = questions.map(({ knowledge, question, right_answer, hallucinated_answer }, at) => ({
    id: `q${at}`,
    input: question,
    expected: right_answer,
    contexts: [knowledge],
    right_answer,
    hallucinated_answer,
    verdicts: {
      right: { answer_correctness_score: { label: 'correct' }, faithfulness_score: { label: 'all' } },
      'made-up': { answer_correctness_score: { label: 'incorrect' }, faithfulness_score: { label: 'none' } },
    },
  }));
  const evaluate = async (judge: Record<string, unknown>) => {
    const folder = await makeFolder({
      'rows.jsonl': rows,
      'eval.json': {
        name: 'halueval',
        type: 'rag',
        dataset: 'rows.jsonl',
        targets,
        judge,
        thresholds: { min_faithfulness_score: 0.75, pass_rate: 0 },
        concurrency: 20,
      },
    });
    return summaryOf(await runHere(folder, '--json'));
  };
  const meansOf = (summary: RunSummary, id: string) => {
    const target = summary.targets.find((given) => given.id === id);
    return {
      correctness: target?.metrics.answer_correctness_score?.mean,
      faithfulness: target?.metrics.faithfulness_score?.mean,
      composite: target?.metrics.composite_score?.mean,
      pass_rate: target?.pass_rate,
    };
  };

  it('come out exactly as the labels say', async () => {
    const summary = await evaluate({ type: 'recorded' });
    expect(summary.counts).toMatchObject({ rows: 500, results: 1000, scored: 1000, passed: 0 });
    expect(meansOf(summary, 'right')).toEqual({ correctness: 1, faithfulness: 1, composite: 1, pass_rate: 1 });
    expect(meansOf(summary, 'made-up')).toEqual({ correctness: 0, faithfulness: 0, composite: 0, pass_rate: 0 });
    // A row is as good as its worst target.
    expect(summary.score).toBe(0);
  });

  it('are told apart by word overlap, which says that it is no model', async () => {
    const summary = await evaluate({ type: 'lexical' });
    const [right, madeUp] = [meansOf(summary, 'right'), meansOf(summary, 'made-up')];
    expect(right.correctness).toBeGreaterThan((madeUp.correctness ?? 1) + 0.2);
    expect(right.faithfulness).toBeGreaterThan(madeUp.faithfulness ?? 1);
    expect(right.composite).toBeGreaterThan((madeUp.composite ?? 1) + 0.2);
    expect(summary.warnings).toContain('judged by lexical word overlap, not by a model');
  });
});

function readJsonLines<T>(text: string): T[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
