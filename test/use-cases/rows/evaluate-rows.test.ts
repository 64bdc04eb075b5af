import { describe, expect, it } from 'vitest';
import { NoTurnError } from '../../../src/core/errors.ts';
import type { RowResult, SkipCause } from '../../../src/core/schemas/result.ts';
import type { Pacing } from '../../../src/ports/pacing.ts';
import type { Target } from '../../../src/ports/target.ts';
import {
  type EvaluateRowsOptions,
  evaluateRows,
  type RowTask,
  type TaskSpending,
} from '../../../src/use-cases/rows/evaluate-rows.ts';
import { type GuardLimits, RunGuard } from '../../../src/use-cases/rows/run-guard.ts';
import { makeResult } from '../../fixtures/results.ts';
import { rowsOf } from '../../fixtures/rows.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const NO_LIMITS: GuardLimits = { deadlineMs: null };

interface Setup {
  readonly rows: number;
  readonly concurrency: number;
  readonly limits?: Partial<GuardLimits>;
  readonly targets?: readonly string[];
  readonly trials?: number;
  readonly rowMs?: number;
  answer?(task: RowTask, started: number): Partial<RowResult>;
  readonly options?: Partial<EvaluateRowsOptions>;
  prepare?(guard: RunGuard): void;
}

/** Runs the pool over fake rows; counts what started and how many were open at once. */
async function runPool(setup: Setup) {
  const clock = new VirtualClock();
  const targetIds = setup.targets ?? ['http'];
  const guard = new RunGuard(targetIds, { ...NO_LIMITS, ...setup.limits });
  setup.prepare?.(guard);
  const results: RowResult[] = [];
  let started = 0;
  let open = 0;
  let mostOpen = 0;
  const work = evaluateRows({
    rows: rowsOf(setup.rows),
    targets: targetIds.map((id) => ({ id }) as Target),
    trials: setup.trials ?? 1,
    concurrency: setup.concurrency,
    guard,
    clock,
    async evaluate(task) {
      started += 1;
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      const fields = setup.answer?.(task, started) ?? {};
      await clock.sleep(setup.rowMs ?? 1000);
      open -= 1;
      return makeResult({
        index: task.row.index,
        row_id: task.row.id,
        target: task.target.id,
        trial: task.trial,
        ...fields,
      });
    },
    skip: (task: RowTask, cause: SkipCause) =>
      makeResult({
        index: task.row.index,
        row_id: task.row.id,
        target: task.target.id,
        trial: task.trial,
        status: 'skipped',
        passed: false,
        score: null,
        cause,
      }),
    onResult: (result) => {
      results.push(result);
    },
    ...setup.options,
  });
  const { remaining } = await clock.run(work);
  return { results, started, mostOpen, guard, remaining, elapsedMs: clock.now() };
}

const refused = { status: 'target_error', cause: 'connection', passed: false, score: 0, error: 'refused' } as const;
const unjudged = {
  status: 'judge_error',
  cause: 'access-denied',
  passed: false,
  score: null,
  error: 'no access to the judge model',
} as const;

describe('row accounting', () => {
  it('ends every row of the manifest exactly once', async () => {
    const { results, started } = await runPool({ rows: 100, concurrency: 7, targets: ['a', 'b'], trials: 3 });
    expect(started).toBe(600);
    expect(new Set(results.map((result) => `${result.index} ${result.target} ${result.trial}`)).size).toBe(600);
    expect(results).toHaveLength(600);
  });

  it('does not start what an earlier attempt finished', async () => {
    const { results } = await runPool({ rows: 10, concurrency: 2, options: { isDone: ({ row }) => row.index < 6 } });
    expect(results.map((result) => result.index).sort()).toEqual([6, 7, 8, 9]);
  });

  it('ends with the error that broke it, after the rows in flight', async () => {
    const broken = runPool({
      rows: 20,
      concurrency: 4,
      answer: ({ row }) => {
        if (row.index === 3) throw new Error('a bug');
        return {};
      },
    });
    await expect(broken).rejects.toThrow('a bug');
  });

  it('stops when a result cannot be written', async () => {
    let written = 0;
    const full = runPool({
      rows: 1000,
      concurrency: 4,
      options: {
        async onResult() {
          written += 1;
          if (written === 10) throw new Error('no space left on device');
        },
      },
    });
    await expect(full).rejects.toThrow('no space left');
    expect(written).toBeLessThan(20);
  });

  it('hands back whole rows that have not started', async () => {
    let calls = 0;
    const { results, remaining } = await runPool({
      rows: 20,
      concurrency: 4,
      trials: 2,
      options: { mustHandBack: () => ++calls > 12 },
    });
    expect(results).toHaveLength(24);
    expect(remaining.map((row) => row.index)).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
  });
});

describe('concurrency', () => {
  it.each([1, 4, 50])('keeps at most %i in flight, and that many', async (concurrency) => {
    const { mostOpen } = await runPool({ rows: 300, concurrency });
    expect(mostOpen).toBe(concurrency);
  });

  it('keeps few in flight until the target has answered once', async () => {
    const inFlight: number[] = [];
    let open = 0;
    await runPool({
      rows: 200,
      concurrency: 50,
      answer() {
        open += 1;
        inFlight.push(open);
        return {};
      },
      options: {
        onResult() {
          open -= 1;
        },
      },
    });
    expect(Math.max(...inFlight.slice(0, 8))).toBe(8);
    expect(inFlight[8]).toBeLessThanOrEqual(8);
    expect(Math.max(...inFlight)).toBe(50);
  });

  it('lifts that limit when the target answers, before any row has ended', async () => {
    let started = 0;
    let endAll = () => {};
    const fifty = new Promise<void>((resolve) => {
      endAll = resolve;
    });
    const { results } = await runPool({
      rows: 60,
      concurrency: 50,
      options: {
        async evaluate({ row, target, trial }, onAnswer) {
          started += 1;
          if (started === 8) onAnswer();
          if (started === 50) endAll();
          await fifty;
          return makeResult({ index: row.index, row_id: row.id, target: target.id, trial });
        },
      },
    });
    expect(results).toHaveLength(60);
  });
});

describe('guards', () => {
  it('stops after eight rows without an answer, whatever the concurrency', async () => {
    for (const concurrency of [1, 4, 50]) {
      const { started, results, guard } = await runPool({ rows: 100, concurrency, answer: () => refused });
      expect(started).toBe(8);
      expect(results).toHaveLength(100);
      expect(guard.stopped?.cause).toBe('target down');
      expect(guard.stopped?.why).toContain('refused');
    }
  });

  it('goes on when one of the first rows was answered', async () => {
    const { started, guard } = await runPool({
      rows: 60,
      concurrency: 4,
      answer: (_task, n) => (n === 5 ? {} : refused),
    });
    expect(started).toBe(60);
    expect(guard.stopped).toBeNull();
  });

  it('gives up on a target alone and skips its rows', async () => {
    const { results, guard } = await runPool({
      rows: 50,
      concurrency: 4,
      targets: ['up', 'down'],
      answer: ({ target }) => (target.id === 'down' ? refused : {}),
    });
    expect(guard.stopped).toBeNull();
    expect(results.filter((result) => result.target === 'up' && result.status === 'scored')).toHaveLength(50);
    const down = results.filter((result) => result.target === 'down');
    expect(down.filter((result) => result.status === 'target_error')).toHaveLength(8);
    expect(down.find((result) => result.status === 'skipped')?.cause).toBe('target down');
  });

  it('stops when the judge fails eight rows before grading any', async () => {
    const { started, guard } = await runPool({ rows: 100, concurrency: 4, answer: () => unjudged });
    expect(started).toBeGreaterThanOrEqual(8);
    expect(started).toBeLessThanOrEqual(11);
    expect(guard.stopped?.why).toContain('judge');
    expect(guard.stopped?.why).toContain('no access');
  });

  it('starts no row after the time budget', async () => {
    const { started, results, guard } = await runPool({
      rows: 200,
      concurrency: 4,
      rowMs: 10_000,
      limits: { deadlineMs: 270_000 },
    });
    expect(started).toBeGreaterThanOrEqual(104);
    expect(started).toBeLessThanOrEqual(112);
    expect(results.filter((result) => result.cause === 'time budget')).toHaveLength(200 - started);
    expect(guard.stopped?.why).toBe('time budget reached');
  });

  /** Money for so many tasks; each is given back what it did not use. */
  function purse(tasks: number) {
    const seen = { admitted: 0, settled: 0, givenBack: 0 };
    const spending: TaskSpending = {
      why: 'hard cost cap of $1 reached',
      admit: async () => {
        if (seen.admitted === tasks) return 'refused';
        seen.admitted += 1;
        return 'go';
      },
      settle: () => {
        seen.settled += 1;
      },
      giveBack: () => {
        seen.givenBack += 1;
      },
    };
    return { spending, seen };
  }

  it('starts nothing that there is no money for, and accounts for the rest', async () => {
    const { spending, seen } = purse(7);
    const { started, results, guard } = await runPool({ rows: 20, concurrency: 4, options: { spending } });
    expect(started).toBe(7);
    expect(seen).toEqual({ admitted: 7, settled: 7, givenBack: 0 });
    expect(results).toHaveLength(20);
    expect(results.filter(({ cause }) => cause === 'cost cap')).toHaveLength(13);
    expect(guard.stopped).toEqual({ cause: 'cost cap', why: 'hard cost cap of $1 reached' });
  });

  it('gives the money of a task back when the run is stopped before it starts', async () => {
    const { spending, seen } = purse(99);
    let stop = () => {};
    const { started, results } = await runPool({
      rows: 5,
      concurrency: 4,
      prepare: (guard) => {
        stop = () => guard.stop('cancelled', 'cancelled');
      },
      options: {
        spending: {
          ...spending,
          admit: async (task, goesOn) => {
            if (task.row.index === 2) stop();
            return spending.admit(task, goesOn);
          },
        },
      },
    });
    expect(started).toBe(2);
    expect(seen).toEqual({ admitted: 3, settled: 2, givenBack: 1 });
    expect(results.filter(({ cause }) => cause === 'cancelled')).toHaveLength(3);
  });

  it.each([
    { name: 'hands rows back that wait for money when its time is up', startFirst: true, started: 1, remaining: 4 },
    {
      name: 'ends as if the cap were reached when it has waited all its life',
      startFirst: false,
      started: 0,
      remaining: 0,
    },
  ])('$name', async ({ startFirst, started, remaining }) => {
    let isOver = false;
    let guard: RunGuard | undefined;
    const pool = await runPool({
      rows: 5,
      concurrency: 1,
      prepare: (made) => {
        guard = made;
      },
      options: {
        mustHandBack: () => isOver && guard?.stopped === null,
        spending: {
          why: '',
          admit: async (task, goesOn) => {
            if (startFirst && task.row.index === 0) return 'go';
            isOver = true;
            return goesOn() ? 'refused' : 'stopped';
          },
          settle: () => {},
          giveBack: () => {},
        },
      },
    });
    expect(pool.started).toBe(started);
    expect(pool.remaining).toHaveLength(remaining);
    expect(pool.results).toHaveLength(5 - remaining);
    expect(pool.guard.stopped?.cause).toBe(startFirst ? undefined : 'cost cap');
  });

  it('starts nothing once cancelled, and accounts for the rest', async () => {
    const { started, results } = await runPool({
      rows: 30,
      concurrency: 4,
      prepare: (guard) => guard.stop('cancelled', 'cancelled'),
    });
    expect(started).toBe(0);
    expect(results.every((result) => result.cause === 'cancelled')).toBe(true);
    expect(results).toHaveLength(30);
  });
});

describe('trials that follow one another', () => {
  /** Three trials a row, until one passes. */
  const followed = (isDone: (task: RowTask) => boolean = () => false) => {
    const passed = new Set<number>();
    return {
      isDone,
      next: (task: RowTask) =>
        passed.has(task.row.index) || task.trial === 2 ? null : { ...task, trial: task.trial + 1 },
      note: (result: RowResult) => {
        if (result.passed) passed.add(result.index);
      },
    };
  };
  const asked = (results: readonly RowResult[]) => results.map(({ index, trial }) => `${index}/${trial}`).sort();
  /** Row 0 passes at once, row 1 at its second trial, row 2 never. */
  const answer = ({ row, trial }: RowTask) => ({ passed: trial >= row.index && row.index < 2 });

  async function follow(setup: Partial<Setup> & { readonly isDone?: (task: RowTask) => boolean }) {
    const { note, ...options } = followed(setup.isDone);
    const results: RowResult[] = [];
    const onResult = (result: RowResult) => {
      note(result);
      results.push(result);
    };
    const ended = await runPool({ rows: 3, concurrency: 3, answer, ...setup, options: { ...options, onResult } });
    return { ...ended, results };
  }

  it('are asked until nothing follows, each row in a slot of its own', async () => {
    const { results, mostOpen, elapsedMs } = await follow({});
    expect(asked(results)).toEqual(['0/0', '1/0', '1/1', '2/0', '2/1', '2/2']);
    expect(mostOpen).toBe(3);
    expect(elapsedMs).toBe(3000);
  });

  it('go on after those that an earlier attempt finished', async () => {
    const { results, started } = await follow({ isDone: ({ row, trial }) => row.index === 2 && trial < 2 });
    expect(asked(results)).toEqual(['0/0', '1/0', '1/1', '2/2']);
    expect(started).toBe(4);
  });

  it('start nothing for a row whose trials are all finished', async () => {
    const { results } = await follow({ isDone: ({ row }) => row.index === 2 });
    expect(asked(results)).toEqual(['0/0', '1/0', '1/1']);
  });

  it('end with the time: one result says so, and no more is asked', async () => {
    const { results, guard } = await follow({ limits: { deadlineMs: 1000 } });
    const skipped = results.filter(({ status }) => status === 'skipped');
    expect(skipped.map(({ index, trial, cause }) => [index, trial, cause])).toEqual([
      [1, 1, 'time budget'],
      [2, 1, 'time budget'],
    ]);
    expect(guard.stopped?.cause).toBe('time budget');
  });

  it('end the run when one of them throws', async () => {
    const broken = () => {
      throw new Error('a bug');
    };
    const throwing = follow({ answer: (task: RowTask) => (task.trial === 1 ? broken() : { passed: false }) });
    await expect(throwing).rejects.toThrow('a bug');
  });
});

describe('while the other side throttles', () => {
  /** Requests that wait; `free` lets one go. */
  function fullFrom(limit: number) {
    let waiting = 0;
    let wake: (() => void)[] = [];
    const pacing: Pacing = {
      get isFull() {
        return waiting >= limit;
      },
      throttled: { targets: 0, judges: 0 },
      room: () => new Promise((resolve) => wake.push(resolve)),
      waitWhile: () => {},
    };
    const enter = () => {
      waiting += 1;
    };
    const free = () => {
      waiting -= 1;
      for (const resolve of wake.splice(0)) resolve();
      wake = [];
    };
    return { pacing, enter, free };
  }

  it('starts no row that would only wait behind others, and every row in the end', async () => {
    const clock = new VirtualClock();
    const { pacing, enter, free } = fullFrom(3);
    let open = 0;
    let most = 0;
    const done: number[] = [];
    const work = evaluateRows({
      rows: rowsOf(20),
      targets: [{ id: 'http' } as Target],
      trials: 1,
      concurrency: 10,
      guard: new RunGuard(['http'], NO_LIMITS),
      clock,
      pacing,
      async evaluate({ row }, onAnswer) {
        enter();
        open += 1;
        most = Math.max(most, open);
        await clock.sleep(1000);
        free();
        open -= 1;
        onAnswer();
        return makeResult({ index: row.index, row_id: row.id });
      },
      skip: () => {
        throw new Error('nothing is skipped');
      },
      onResult: ({ index }) => {
        done.push(index);
      },
    });
    await clock.run(work);
    expect(most).toBe(3);
    expect(done).toHaveLength(20);
  });

  const noTurnFrom = (index: number) => (task: RowTask) => {
    if (task.row.index >= index) throw new NoTurnError('throttled until it was over');
    return {};
  };

  it('hands back the rows whose turn did not come, in order and without a result', async () => {
    let isOver = false;
    const { results, remaining } = await runPool({
      rows: 12,
      concurrency: 4,
      answer: (task) => {
        isOver = task.row.index >= 5;
        return noTurnFrom(5)(task);
      },
      options: { mustHandBack: () => isOver },
    });
    expect(results.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4]);
    expect(remaining.map(({ index }) => index)).toEqual([5, 6, 7, 8, 9, 10, 11]);
  });

  it('hands back once a row of which several requests had no turn', async () => {
    const { remaining } = await runPool({
      rows: 2,
      concurrency: 4,
      targets: ['a', 'b'],
      trials: 2,
      answer: noTurnFrom(1),
    });
    expect(remaining.map(({ index }) => index)).toEqual([1]);
  });

  it('skips them where the run was stopped meanwhile', async () => {
    const { results, remaining } = await runPool({
      rows: 3,
      concurrency: 1,
      answer: noTurnFrom(0),
      prepare: (guard) => {
        const refuse = guard.refuse.bind(guard);
        let asked = 0;
        guard.refuse = (...args) => {
          asked += 1;
          if (asked > 1) guard.stop('cancelled', 'cancelled');
          return refuse(...args);
        };
      },
    });
    expect(remaining).toEqual([]);
    expect(results.map(({ status, cause }) => [status, cause])).toEqual(Array(3).fill(['skipped', 'cancelled']));
  });

  it('gives back what was put by for them', async () => {
    const money: string[] = [];
    const spending: TaskSpending = {
      why: 'none',
      admit: async ({ row }) => {
        money.push(`admit ${row.index}`);
        return 'go';
      },
      settle: ({ row }) => money.push(`settle ${row.index}`),
      giveBack: ({ row }) => money.push(`give back ${row.index}`),
    };
    await runPool({ rows: 2, concurrency: 1, answer: noTurnFrom(1), options: { spending } });
    expect(money).toEqual(['admit 0', 'settle 0', 'admit 1', 'give back 1']);
  });
});
