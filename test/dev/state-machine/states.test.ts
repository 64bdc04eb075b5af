import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { StateFailure } from '../../../src/dev/state-machine/failure.ts';
import { InstantClock, invoke, ManualClock, machine, recorder, run, start } from './harness.ts';

const pass = (more: JsonObject): JsonObject => ({ Type: 'Pass', End: true, ...more });
const done: JsonObject = { Type: 'Succeed' };

describe('data flow', () => {
  it.each<{ name: string; states: JsonObject; input?: JsonValue; output: JsonValue }>([
    { name: 'Pass hands its input on', states: { A: pass({}) }, input: { a: 1 }, output: { a: 1 } },
    {
      name: 'Output may be a literal',
      states: { A: pass({ Output: { a: [1, 'x', null, '{%', '%}'] } }) },
      output: { a: [1, 'x', null, '{%', '%}'] },
    },
    {
      name: 'Output evaluates inside objects and arrays',
      states: { A: pass({ Output: { a: ['{% $states.input.x + 1 %}'] } }) },
      input: { x: 1 },
      output: { a: [2] },
    },
    {
      name: 'Succeed may have an Output',
      states: { A: { Type: 'Succeed', Output: '{% $states.input.x %}' } },
      input: { x: [] },
      output: [],
    },
    {
      name: 'a variable lives on in later states',
      states: {
        A: { Type: 'Pass', Assign: { x: '{% $states.input.x %}' }, Output: null, Next: 'B' },
        B: pass({ Output: '{% $x %}' }),
      },
      input: { x: 5 },
      output: 5,
    },
    {
      name: 'Assign and Output both see the values from before',
      states: {
        A: { Type: 'Pass', Assign: { x: 1 }, Next: 'B' },
        B: { Type: 'Pass', Assign: { x: '{% $x + 1 %}', y: '{% $x %}' }, Output: { seen: '{% $x %}' }, Next: 'C' },
        C: pass({ Output: { seen: '{% $states.input.seen %}', x: '{% $x %}', y: '{% $y %}' } }),
      },
      output: { seen: 1, x: 2, y: 1 },
    },
    {
      name: 'a single element keeps its array when the expression says so',
      states: { A: pass({ Output: '{% $states.input.r[n = 1][] %}' }) },
      input: { r: [{ n: 1 }] },
      output: [{ n: 1 }],
    },
    {
      name: 'a single match without that is the element, as in JSONata',
      states: { A: pass({ Output: '{% $states.input.r[n = 1] %}' }) },
      input: { r: [{ n: 1 }] },
      output: { n: 1 },
    },
    {
      name: 'an array made by an expression stays an array when used again',
      states: {
        A: { Type: 'Pass', Assign: { r: '{% $states.input.r[n = 1][] %}' }, Next: 'B' },
        B: pass({ Output: '{% $r %}' }),
      },
      input: { r: [{ n: 1 }] },
      output: [{ n: 1 }],
    },
    {
      name: 'keys such as __proto__ are only data',
      states: { A: pass({ Output: '{% {"__proto__": 1, "constructor": 2} %}' }) },
      output: JSON.parse('{"__proto__": 1, "constructor": 2}'),
    },
    {
      name: 'Choice takes the first rule that holds',
      states: {
        A: {
          Type: 'Choice',
          Choices: [
            { Condition: '{% $states.input.n > 5 %}', Next: 'Big' },
            { Condition: '{% $states.input.n > 1 %}', Next: 'Mid', Output: 'rule', Assign: { v: 'assigned' } },
          ],
          Default: 'Big',
          Output: 'default',
        },
        Mid: pass({ Output: '{% $states.input & " " & $v %}' }),
        Big: pass({}),
      },
      input: { n: 3 },
      output: 'rule assigned',
    },
    {
      name: 'Choice takes the default with the Output of the state',
      states: {
        A: { Type: 'Choice', Choices: [{ Condition: false, Next: 'B' }], Default: 'B', Output: 'default' },
        B: pass({}),
      },
      output: 'default',
    },
    {
      name: "Parallel gives the branches' outputs in order",
      states: {
        A: {
          Type: 'Parallel',
          Arguments: { n: '{% $states.input.n %}' },
          End: true,
          Branches: [
            { StartAt: 'L', States: { L: pass({ Output: '{% $states.input.n + 1 %}' }) } },
            { StartAt: 'R', States: { R: pass({}) } },
          ],
        },
      },
      input: { n: 1, m: 2 },
      output: [2, { n: 1 }],
    },
    {
      name: 'branches see outer variables and keep their own',
      states: {
        A: { Type: 'Pass', Assign: { x: 1 }, Next: 'P' },
        P: {
          Type: 'Parallel',
          Next: 'Z',
          Branches: [
            {
              StartAt: 'L',
              States: {
                L: { Type: 'Pass', Assign: { y: '{% $x + 1 %}' }, Next: 'M' },
                M: pass({ Output: '{% $y %}' }),
              },
            },
          ],
        },
        Z: pass({ Output: { branch: '{% $states.input[0] %}', outer: '{% $exists($y) %}' } }),
      },
      output: { branch: 2, outer: false },
    },
    {
      name: 'inline Map gives the item and its index to the states inside',
      states: {
        A: {
          Type: 'Map',
          Items: '{% $states.input.r %}',
          End: true,
          ItemProcessor: {
            StartAt: 'C',
            States: { C: pass({ Output: '{% $states.context.Map.Item.Index & ":" & $states.input %}' }) },
          },
        },
      },
      input: { r: ['a', 'b'] },
      output: ['0:a', '1:b'],
    },
    {
      name: 'a Map over no items gives no outputs',
      states: { A: { Type: 'Map', Items: [], End: true, ItemProcessor: { StartAt: 'C', States: { C: pass({}) } } } },
      output: [],
    },
    {
      name: 'the context knows execution, state and machine',
      states: {
        A: pass({
          Output: {
            name: '{% $states.context.Execution.Name %}',
            id: '{% $states.context.Execution.Id %}',
            redrives: '{% $states.context.Execution.RedriveCount %}',
            state: '{% $states.context.State.Name %}',
            entered: '{% $states.context.State.EnteredTime %}',
            machine: '{% $states.context.StateMachine.Name %}',
          },
        }),
      },
      output: {
        name: 'run-1',
        id: 'arn:aws:states:us-east-1:000000000000:execution:local:run-1',
        redrives: 0,
        state: 'A',
        entered: '2026-01-01T00:00:00.000Z',
        machine: 'local',
      },
    },
    {
      name: 'the functions of Step Functions',
      states: {
        A: pass({
          Output: {
            partition: '{% $partition([1, 2, 3], 2) %}',
            range: '{% $range(0, 10, 4) %}',
            down: '{% $range(3, 1, -1) %}',
            hash: "{% $hash('abc', 'SHA-256') %}",
            parse: '{% $parse(\'{"a": [1]}\').a %}',
            random: '{% $random() %}',
            seeded: '{% $random(7) = $random(7) and $random(7) != $random(8) %}',
            uuid: '{% $uuid() %}',
            now: '{% $now() %}',
            millis: '{% $millis() %}',
          },
        }),
      },
      output: {
        partition: [[1, 2], [3]],
        range: [0, 4, 8],
        down: [3, 2, 1],
        hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        parse: [1],
        random: 0.5,
        seeded: true,
        uuid: '80808080-8080-4080-8080-808080808080',
        now: '2026-01-01T00:00:00.000Z',
        millis: 1_767_225_600_000,
      },
    },
  ])('$name', async ({ states, input, output }) => {
    expect(await run(machine(states), { input: input ?? {} })).toEqual({ status: 'SUCCEEDED', output });
  });
});

describe('failures', () => {
  it.each<{ name: string; states: JsonObject; input?: JsonValue; error: string | undefined; cause: RegExp }>([
    {
      name: 'an expression that returns nothing',
      states: { A: pass({ Output: { v: ['{% $states.input.missing %}'] } }) },
      error: 'States.QueryEvaluationError',
      cause:
        /^An error occurred while executing the state 'A'. The JSONata expression '\$states.input.missing' specified for the field 'Output\/v\[0\]' returned nothing \(undefined\)\.$/,
    },
    {
      name: 'an expression that throws',
      states: { A: pass({ Output: "{% $number('x') %}" }) },
      error: 'States.QueryEvaluationError',
      cause: /specified for the field 'Output' threw an error during evaluation\. D3030/,
    },
    {
      name: 'an expression that returns a function',
      states: { A: pass({ Output: { f: '{% [function($x) { $x }] %}' } }) },
      error: 'States.QueryEvaluationError',
      cause: /unsupported result type/,
    },
    {
      name: 'a typo in a variable',
      states: { A: pass({ Assign: { x: '{% $nope %}' } }) },
      error: 'States.QueryEvaluationError',
      cause: /'Assign\/x'/,
    },
    {
      name: 'a condition that is no boolean',
      states: { A: { Type: 'Choice', Choices: [{ Condition: '{% 1 %}', Next: 'B' }] }, B: done },
      error: 'States.QueryEvaluationError',
      cause: /'Choices\[0\]\/Condition'.*Expected 'boolean', but was 'number'/,
    },
    {
      name: 'no choice',
      states: { A: { Type: 'Choice', Choices: [{ Condition: false, Next: 'B' }] }, B: done },
      error: 'States.Runtime',
      cause: /No choice matched/,
    },
    {
      name: 'a wait of half a second',
      states: { A: { Type: 'Wait', Seconds: '{% 0.5 %}', End: true } },
      error: 'States.QueryEvaluationError',
      cause: /'Seconds' must be an integer from 0/,
    },
    {
      name: '30 February',
      states: { A: { Type: 'Wait', Timestamp: '2026-02-30T00:00:00Z', End: true } },
      error: 'States.QueryEvaluationError',
      cause: /cannot be parsed/,
    },
    {
      name: 'Fail with expressions',
      states: { A: { Type: 'Fail', Error: '{% $states.input.e %}', Cause: '{% "because " & $states.input.e %}' } },
      input: { e: 'E' },
      error: 'E',
      cause: /^because E$/,
    },
    {
      name: 'the error of a branch is the error of the Parallel',
      states: {
        A: {
          Type: 'Parallel',
          End: true,
          Branches: [
            { StartAt: 'L', States: { L: pass({}) } },
            { StartAt: 'R', States: { R: { Type: 'Fail', Error: 'Boom', Cause: 'c' } } },
          ],
        },
      },
      error: 'Boom',
      cause: /^c$/,
    },
    {
      name: 'a bad $range',
      states: { A: pass({ Output: '{% $range(0, 10, 0) %}' }) },
      error: 'States.QueryEvaluationError',
      cause: /step other than 0/,
    },
    {
      name: 'a $parse of no JSON',
      states: { A: pass({ Output: "{% $parse('{') %}" }) },
      error: 'States.QueryEvaluationError',
      cause: /'Output' threw an error/,
    },
    {
      name: 'an unknown hash',
      states: { A: pass({ Output: "{% $hash('x', 'CRC') %}" }) },
      error: 'States.QueryEvaluationError',
      cause: /\$hash knows MD5/,
    },
  ])('$name', async ({ states, input, error, cause }) => {
    const result = await run(machine(states), { input: input ?? {} });
    expect(result).toMatchObject({ status: 'FAILED', error, cause: expect.stringMatching(cause) });
  });

  it('Fail without anything fails with no error name', async () => {
    expect(await run(machine({ A: { Type: 'Fail' } }))).toEqual({ status: 'FAILED' });
  });
});

describe('Task', () => {
  const failing = (...errors: string[]) => {
    const calls: number[] = [];
    const task = async () => {
      calls.push(calls.length);
      const error = errors[calls.length - 1];
      if (error !== undefined) throw new StateFailure(error, `cause ${calls.length}`);
      return { Payload: 'ok' };
    };
    return { calls, task };
  };

  it('gives the function its payload and its answer as Payload', async () => {
    const output = '{% $states.result %}';
    const result = await run(machine({ A: invoke({ Output: output }) }), {
      input: { n: 1 },
      lambda: (payload) => ({ got: payload }),
    });
    expect(result.output).toEqual({
      ExecutedVersion: '$LATEST',
      Payload: { got: { n: 1 } },
      SdkHttpMetadata: { HttpStatusCode: 200 },
      StatusCode: 200,
    });
  });

  it('retries with backoff up to the cap, each retrier counting for itself, then fails', async () => {
    const clock = new InstantClock();
    const { calls, task } = failing('Slow', 'Slow', 'Throttled', 'Slow', 'Slow');
    const Retry: JsonValue[] = [
      { ErrorEquals: ['Throttled'], IntervalSeconds: 7, MaxAttempts: 1 },
      { ErrorEquals: ['Slow'], IntervalSeconds: 2, BackoffRate: 3, MaxAttempts: 3, MaxDelaySeconds: 10 },
    ];
    const result = await run(machine({ A: invoke({ Retry }) }), { clock, task });
    expect(result).toEqual({ status: 'FAILED', error: 'Slow', cause: 'cause 5' });
    expect(calls).toHaveLength(5);
    expect(clock.slept).toEqual([2_000, 6_000, 7_000, 10_000]);
  });

  it.each<{ name: string; retrier: JsonObject; slept: number[] }>([
    { name: 'defaults: 1 s, doubling, three times', retrier: {}, slept: [1_000, 2_000, 4_000] },
    {
      name: 'full jitter: a share of the capped delay',
      retrier: { IntervalSeconds: 10, MaxDelaySeconds: 15, JitterStrategy: 'FULL' },
      slept: [5_000, 7_500, 7_500],
    },
    { name: 'no attempts', retrier: { MaxAttempts: 0 }, slept: [] },
  ])('retries with $name', async ({ retrier, slept }) => {
    const clock = new InstantClock();
    const { task } = failing('E', 'E', 'E', 'E');
    await run(machine({ A: invoke({ Retry: [{ ErrorEquals: ['States.ALL'], ...retrier }] }) }), { clock, task });
    expect(clock.slept).toEqual(slept);
  });

  it('shortens waits and retries by waitSpeed', async () => {
    const clock = new InstantClock();
    const { task } = failing('E');
    const states = { W: { Type: 'Wait', Seconds: 60, Next: 'A' }, A: invoke({ Retry: [{ ErrorEquals: ['E'] }] }) };
    await run(machine(states), { clock, task, waitSpeed: 100 });
    expect(clock.slept).toEqual([600, 10]);
  });

  it('counts retries in the context', async () => {
    const { task } = failing('E', 'E');
    const seen: JsonValue[] = [];
    const definition = machine({
      A: invoke({
        Arguments: { FunctionName: 'f', Payload: '{% $states.context.State.RetryCount %}' },
        Retry: [{ ErrorEquals: ['E'] }],
      }),
    });
    await run(definition, {
      task: async (args) => {
        seen.push((args as { Payload: JsonValue }).Payload);
        return task();
      },
    });
    expect(seen).toEqual([0, 1, 2]);
  });

  it('catches with the error as output, or what Output and Assign make of it', async () => {
    const Catch: JsonValue[] = [
      { ErrorEquals: ['Other'], Next: 'C' },
      {
        ErrorEquals: ['States.TaskFailed'],
        Next: 'C',
        Output: { e: '{% $states.errorOutput %}', i: '{% $states.input.n %}' },
        Assign: { name: '{% $states.errorOutput.Error %}' },
      },
    ];
    const states = { A: invoke({ Catch }), C: pass({ Output: { in: '{% $states.input %}', name: '{% $name %}' } }) };
    const { task } = failing('Boom');
    const result = await run(machine(states), { task, input: { n: 1 } });
    expect(result.output).toEqual({ in: { e: { Error: 'Boom', Cause: 'cause 1' }, i: 1 }, name: 'Boom' });
    const plain = { A: invoke({ Catch: [{ ErrorEquals: ['States.ALL'], Next: 'C' }] }), C: done };
    expect((await run(machine(plain), failing('Boom'))).output).toEqual({ Error: 'Boom', Cause: 'cause 1' });
  });

  it.each([
    { error: 'States.Timeout', pattern: 'States.TaskFailed', caught: false },
    { error: 'States.HeartbeatTimeout', pattern: 'States.Timeout', caught: true },
    { error: 'States.Timeout', pattern: 'States.ALL', caught: true },
    { error: 'States.DataLimitExceeded', pattern: 'States.ALL', caught: false },
    { error: 'States.DataLimitExceeded', pattern: 'States.TaskFailed', caught: false },
    { error: 'States.DataLimitExceeded', pattern: 'States.DataLimitExceeded', caught: true },
    { error: 'States.Runtime', pattern: 'States.ALL', caught: false },
    { error: 'States.Runtime', pattern: 'States.Runtime', caught: false },
    { error: 'Boom', pattern: 'boom', caught: false },
  ])('$pattern catches $error: $caught', async ({ error, pattern, caught }) => {
    const states = { A: invoke({ Catch: [{ ErrorEquals: [pattern], Next: 'C' }] }), C: done };
    expect((await run(machine(states), failing(error))).status).toBe(caught ? 'SUCCEEDED' : 'FAILED');
  });

  it('catches an expression of its own that fails', async () => {
    const states = {
      A: invoke({
        Output: '{% $states.nothing %}',
        Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'C' }],
      }),
      C: done,
    };
    expect((await run(machine(states))).status).toBe('SUCCEEDED');
  });

  it('fails with States.Runtime at once when the host itself breaks', async () => {
    const states = { A: invoke({ Retry: [{ ErrorEquals: ['States.ALL'] }] }) };
    let calls = 0;
    const task = async () => {
      calls += 1;
      throw new TypeError('bug in the host');
    };
    const result = await run(machine(states), { task });
    expect(result).toMatchObject({
      status: 'FAILED',
      error: 'States.Runtime',
      cause: expect.stringContaining('TypeError: bug in the host'),
    });
    expect(calls).toBe(1);
  });

  it('times out by the clock, tells the task and goes to the catcher', async () => {
    const clock = new ManualClock();
    const states = {
      A: invoke({
        TimeoutSeconds: '{% $states.input.limit %}',
        Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'C' }],
      }),
      C: done,
    };
    let told: AbortSignal | undefined;
    const execution = start(machine(states), {
      clock,
      input: { limit: 9 },
      task: (_, { signal }) => {
        told = signal;
        return new Promise(() => {});
      },
    });
    while (clock.sleeping === 0) await new Promise(setImmediate);
    clock.advance(9_000);
    expect((await execution.done).output).toMatchObject({ Error: 'States.Timeout' });
    expect(told?.aborted).toBe(true);
    expect(clock.sleeping).toBe(0);
  });

  it('leaves no timer behind when it ends in time', async () => {
    const clock = new ManualClock();
    await run(machine({ A: invoke({ TimeoutSeconds: 900 }) }), { clock });
    expect(clock.sleeping).toBe(0);
  });
});

describe('limits', () => {
  const text = (bytes: number) => 'x'.repeat(bytes - 2);

  it.each<{ name: string; states: JsonObject; input: JsonValue; fails: boolean }>([
    { name: 'an input of exactly 256 KiB', states: { A: done }, input: text(262_144), fails: false },
    { name: 'an input of one byte more', states: { A: done }, input: text(262_145), fails: true },
    { name: 'characters of many bytes', states: { A: done }, input: 'é'.repeat(131_072), fails: true },
    {
      name: 'an output that grew',
      states: { A: pass({ Output: { a: '{% $states.input %}', b: '{% $states.input %}' } }) },
      input: text(200_000),
      fails: true,
    },
    {
      name: 'arguments that grew',
      states: {
        A: invoke({ Arguments: { FunctionName: 'f', Payload: ['{% $states.input %}', '{% $states.input %}'] } }),
      },
      input: text(200_000),
      fails: true,
    },
    {
      name: 'a variable',
      states: { A: pass({ Assign: { v: '{% [$states.input, $states.input] %}' } }) },
      input: text(200_000),
      fails: true,
    },
    {
      name: 'outputs of an inline Map together',
      states: {
        A: {
          Type: 'Map',
          Items: [1, 2],
          ItemSelector: '{% $states.input %}',
          End: true,
          ItemProcessor: { StartAt: 'C', States: { C: pass({}) } },
        },
      },
      input: text(200_000),
      fails: true,
    },
  ])('$name', async ({ states, input, fails }) => {
    const result = await run(machine(states), { input });
    expect(result.error).toBe(fails ? 'States.DataLimitExceeded' : undefined);
  });

  it('a function that returns too much is not caught by States.ALL', async () => {
    const states = { A: invoke({ Catch: [{ ErrorEquals: ['States.ALL'], Next: 'C' }] }), C: done };
    const result = await run(machine(states), { lambda: () => text(262_145) });
    expect(result).toMatchObject({
      status: 'FAILED',
      error: 'States.DataLimitExceeded',
      cause: expect.stringContaining("The state/task 'A' returned a result with a size exceeding"),
    });
  });
});

describe('an execution', () => {
  const hanging = () => new Promise<never>(() => {});

  it('stops as ABORTED, tells the task and ends once', async () => {
    let told: AbortSignal | undefined;
    const { events, onEvent } = recorder();
    const execution = start(machine({ A: invoke({ Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }] }), B: done }), {
      onEvent,
      task: (_, { signal }) => {
        told = signal;
        return hanging();
      },
    });
    while (told === undefined) await new Promise(setImmediate);
    expect(execution.status).toBe('RUNNING');
    expect(await execution.stop('Stopped', 'by hand')).toEqual({
      status: 'ABORTED',
      error: 'Stopped',
      cause: 'by hand',
    });
    expect(await execution.stop('Again')).toEqual({ status: 'ABORTED', error: 'Stopped', cause: 'by hand' });
    expect(told.aborted).toBe(true);
    expect(events.map(({ type }) => type)).toEqual(['ExecutionStarted', 'StateEntered', 'ExecutionAborted']);
  });

  it.each([
    { name: 'before it starts', early: true },
    { name: 'while a state waits', early: false },
  ])('stops by its signal $name', async ({ early }) => {
    const clock = new ManualClock();
    const controller = new AbortController();
    if (early) controller.abort(new Error('any reason'));
    const execution = start(machine({ A: { Type: 'Wait', Seconds: 60, End: true } }), {
      clock,
      signal: controller.signal,
    });
    while (!early && clock.sleeping === 0) await new Promise(setImmediate);
    controller.abort(new Error('any reason'));
    expect(await execution.done).toEqual({ status: 'ABORTED' });
    expect(clock.sleeping).toBe(0);
  });

  it('times out as a whole', async () => {
    const clock = new ManualClock();
    const execution = start(machine({ A: invoke() }, { TimeoutSeconds: 60 }), { clock, task: hanging });
    while (clock.sleeping === 0) await new Promise(setImmediate);
    clock.advance(60_000);
    expect(await execution.done).toEqual({ status: 'TIMED_OUT', error: 'States.Timeout' });
  });

  it('stops an endless loop that never waits', async () => {
    const execution = start(machine({ A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } }));
    await new Promise(setImmediate);
    expect((await execution.stop()).status).toBe('ABORTED');
  });

  it('waits until a timestamp, and not at all for one that has passed', async () => {
    const clock = new InstantClock();
    const wait = (Timestamp: string, Next: string): JsonObject => ({ Type: 'Wait', Timestamp, Next });
    await run(machine({ A: wait('2026-01-01T00:01:30Z', 'B'), B: wait('2026-01-01T01:00:00+01:00', 'C'), C: done }), {
      clock,
    });
    expect(clock.slept).toEqual([90_000]);
  });

  it('is not reached by later changes to what it was given', async () => {
    const input = { n: 1 };
    const execution = start(machine({ A: done }), { input });
    input.n = 2;
    expect((await execution.done).output).toEqual({ n: 1 });
  });

  it('keeps the other iterations of an inline Map to the bound and interrupts them at the first failure', async () => {
    let active = 0;
    let most = 0;
    const definition = machine({
      A: {
        Type: 'Map',
        Items: '{% [0..9] %}',
        MaxConcurrency: 3,
        End: true,
        ItemProcessor: { StartAt: 'C', States: { C: invoke() } },
      },
    });
    const started: JsonValue[] = [];
    const task = async (args: JsonValue) => {
      const { Payload } = args as { Payload: JsonValue };
      started.push(Payload);
      active += 1;
      most = Math.max(most, active);
      await new Promise(setImmediate);
      active -= 1;
      if (Payload === 4) throw new StateFailure('Boom', 'four');
      return { Payload };
    };
    expect(await run(definition, { task })).toEqual({ status: 'FAILED', error: 'Boom', cause: 'four' });
    expect(most).toBe(3);
    expect(started).not.toContain(9);
  });
});
