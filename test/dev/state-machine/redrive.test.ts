import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { NotRedrivableError, resumeExecution } from '../../../src/dev/state-machine/execution.ts';
import { StateFailure } from '../../../src/dev/state-machine/failure.ts';
import { loadStateMachine } from '../../../src/dev/state-machine/load.ts';
import {
  distributedMap,
  InstantClock,
  invoke,
  jsonl,
  LAMBDA,
  MemoryObjects,
  machine,
  mapOver,
  recorder,
  start,
} from './harness.ts';

const rows = (count: number) => jsonl(Array.from({ length: count }, (_, n) => ({ id: n })));

/** A function that answers with its payload, unless `down` says otherwise; remembers what it was called with. */
function service() {
  const calls: JsonValue[] = [];
  const state = { down: (_: JsonValue): boolean => false };
  const task = async (args: JsonValue) => {
    const { Payload } = args as { Payload: JsonValue };
    calls.push(Payload);
    if (state.down(Payload)) throw new StateFailure('Down', 'not now');
    return { Payload };
  };
  return { calls, state, task };
}

const idOf = (payload: JsonValue) => (payload as { id: number }).id;

describe('redrive', () => {
  it('goes on from the state that failed, with its input and variables', async () => {
    const { calls, state, task } = service();
    const states = {
      A: invoke({ Assign: { v: 'kept' }, Output: { step: 'b' }, End: undefined as never, Next: 'B' }),
      B: invoke({ Output: ['{% $states.input %}', '{% $v %}', '{% $states.context.Execution.RedriveCount %}'] }),
    };
    state.down = (payload) => (payload as JsonObject).step === 'b';
    const execution = start(JSON.parse(JSON.stringify(machine(states))), { task, input: { step: 'a' } });
    expect((await execution.done).status).toBe('FAILED');
    state.down = () => false;
    expect(await execution.redrive()).toEqual({ status: 'SUCCEEDED', output: [{ step: 'b' }, 'kept', 1] });
    expect(calls).toEqual([{ step: 'a' }, { step: 'b' }, { step: 'b' }]);
  });

  it.each(['RUNNING', 'SUCCEEDED'])('refuses an execution that is %s', async (status) => {
    const execution = start(machine({ A: { Type: 'Succeed' } }));
    if (status === 'SUCCEEDED') await execution.done;
    expect(() => execution.redrive()).toThrow(NotRedrivableError);
    await execution.done;
  });

  it('runs only the iterations and branches that failed or were interrupted', async () => {
    const { calls, state, task } = service();
    const map = (name: string): JsonObject => ({
      Type: 'Map',
      Items: [1, 2, 3],
      MaxConcurrency: 1,
      End: true,
      ItemProcessor: { StartAt: name, States: { [name]: invoke() } },
    });
    const definition = machine({
      P: {
        Type: 'Parallel',
        End: true,
        Branches: [
          { StartAt: 'M', States: { M: map('C') } },
          { StartAt: 'Q', States: { Q: { Type: 'Pass', Output: 'q', End: true } } },
        ],
      },
    });
    state.down = (payload) => payload === 2;
    const execution = start(definition, { task });
    await execution.done;
    state.down = () => false;
    expect((await execution.redrive()).output).toEqual([[1, 2, 3], 'q']);
    expect(calls).toEqual([1, 2, 2, 3]);
  });

  it('runs failed, interrupted and unstarted children of a distributed Map, each with the same input', async () => {
    const { calls, state, task } = service();
    const objects = new MemoryObjects().put('rows.jsonl', rows(7));
    const { events, onEvent } = recorder();
    state.down = (payload) => idOf(payload) === 2;
    const selector = {
      ItemSelector: { id: '{% $states.context.Map.Item.Value.id %}', at: '{% $states.context.Map.Item.Index %}' },
      MaxConcurrency: 1,
    };
    const execution = start(mapOver({ Child: invoke() }, selector), { task, objects, onEvent });
    expect((await execution.done).error).toBe('States.ExceedToleratedFailureThreshold');
    state.down = () => false;
    expect((await execution.redrive()).output).toEqual([0, 1, 2, 3, 4, 5, 6].map((id) => ({ id, at: id })));
    expect(calls.map(idOf)).toEqual([0, 1, 2, 2, 3, 4, 5, 6]);
    expect(events.filter(({ type }) => type.startsWith('MapRun')).map(({ type }) => type)).toEqual([
      'MapRunStarted',
      'MapRunFailed',
      'MapRunRedriven',
      'MapRunSucceeded',
    ]);
    expect(new Set(events.flatMap(({ mapRunArn }) => mapRunArn ?? [])).size).toBe(1);
  });

  it.each([
    { type: 'STANDARD', calls: ['a', 'b', 'b'] },
    { type: 'EXPRESS', calls: ['a', 'b', 'a', 'b'] },
  ])('lets $type children go on where they should', async ({ type, calls: expected }) => {
    const { calls, state, task } = service();
    const step = (name: string, more: JsonObject) => {
      const { End: _, ...rest } = invoke({ Arguments: { FunctionName: 'f', Payload: name } });
      return { ...rest, ...more };
    };
    const objects = new MemoryObjects().put('rows.jsonl', '1\n');
    state.down = (payload) => payload === 'b';
    const map = distributedMap({ A: step('a', { Next: 'B' }), B: step('b', { End: true }) }, {}, type);
    const execution = start(machine({ M: map }), { task, objects });
    await execution.done;
    state.down = () => false;
    expect((await execution.redrive()).status).toBe('SUCCEEDED');
    expect(calls).toEqual(expected);
  });

  it('works after a stop, and again after that', async () => {
    const { calls, state, task } = service();
    const objects = new MemoryObjects().put('rows.jsonl', rows(4));
    let hang = true;
    const waiting = (args: JsonValue) => {
      const id = idOf((args as { Payload: JsonValue }).Payload);
      return hang && id >= 2 ? new Promise<JsonValue>(() => {}) : task(args);
    };
    const { events, onEvent } = recorder();
    const execution = start(mapOver({ Child: invoke() }, { MaxConcurrency: 2 }), { task: waiting, objects, onEvent });
    while (events.filter(({ type }) => type === 'ChildStarted').length < 4) await new Promise(setImmediate);
    expect((await execution.stop()).status).toBe('ABORTED');
    hang = false;
    state.down = (payload) => idOf(payload) === 3;
    expect((await execution.redrive()).status).toBe('FAILED');
    state.down = () => false;
    expect((await execution.redrive()).output).toEqual([0, 1, 2, 3].map((id) => ({ id })));
    expect(calls.map(idOf)).toEqual([0, 1, 2, 3, 3]);
  });

  it('refuses to mix two data sets when the object changed', async () => {
    const { state, task } = service();
    const objects = new MemoryObjects().put('rows.jsonl', rows(4));
    state.down = (payload) => idOf(payload) === 2;
    const execution = start(mapOver({ Child: invoke() }, { MaxConcurrency: 1 }), { task, objects });
    await execution.done;
    state.down = () => false;
    objects.put('rows.jsonl', rows(4).replace('0', '9'));
    expect(await execution.redrive()).toMatchObject({
      error: 'States.ItemReaderFailed',
      cause: expect.stringContaining('have changed'),
    });
    objects.put('rows.jsonl', rows(1));
    expect(await execution.redrive()).toMatchObject({
      error: 'States.ItemReaderFailed',
      cause: expect.stringContaining('now only 1'),
    });
    objects.put('rows.jsonl', rows(4));
    expect((await execution.redrive()).status).toBe('SUCCEEDED');
  });

  it('keeps to MaxItems when all children were started before', async () => {
    const { calls, state, task } = service();
    const objects = new MemoryObjects().put('rows.jsonl', rows(9));
    const reader = {
      Resource: 'arn:aws:states:::s3:getObject',
      ReaderConfig: { InputType: 'JSONL', MaxItems: 2 },
      Arguments: { Bucket: 'bucket', Key: 'rows.jsonl' },
    };
    state.down = (payload) => idOf(payload) === 1;
    const execution = start(mapOver({ Child: invoke() }, { ItemReader: reader, MaxConcurrency: 1 }), { task, objects });
    await execution.done;
    state.down = () => false;
    expect((await execution.redrive()).output).toEqual([{ id: 0 }, { id: 1 }]);
    expect(calls.map(idOf)).toEqual([0, 1, 1]);
  });

  it('starts a new Map Run after States.DataLimitExceeded', async () => {
    const { calls, task } = service();
    const objects = new MemoryObjects().put('rows.jsonl', jsonl(['x', 'y'.repeat(300_000)]));
    const execution = start(mapOver({ Child: invoke() }, { MaxConcurrency: 1 }), { task, objects });
    expect((await execution.done).error).toBe('States.DataLimitExceeded');
    objects.put('rows.jsonl', jsonl(['x', 'y']));
    expect((await execution.redrive()).output).toEqual(['x', 'y']);
    expect(calls).toEqual(['x', 'x', 'y']);
  });

  it('keeps the result files of earlier attempts and lists them all', async () => {
    const { state, task } = service();
    const objects = new MemoryObjects().put('rows.jsonl', rows(4));
    const more = {
      MaxConcurrency: 1,
      ResultWriter: {
        Resource: 'arn:aws:states:::s3:putObject',
        Arguments: { Bucket: 'bucket' },
        WriterConfig: { Transformation: 'COMPACT', OutputType: 'JSONL' },
      },
    };
    state.down = (payload) => idOf(payload) === 1;
    const execution = start(mapOver({ Child: invoke() }, more), { task, objects });
    await execution.done;
    state.down = () => false;
    const { output } = await execution.redrive();
    const manifest = JSON.parse(
      objects.text((output as { ResultWriterDetails: { Key: string } }).ResultWriterDetails.Key),
    );
    const files = (manifest.ResultFiles.SUCCEEDED as { Key: string }[]).map(({ Key }) => objects.text(Key));
    expect(files).toEqual(['{"id":0}\n', '{"id":1}\n{"id":2}\n{"id":3}\n']);
    expect(manifest.ResultFiles.FAILED).toEqual([]);
  });

  it('goes on in another process from the checkpoint, also from one taken while it ran', async () => {
    const { calls, state, task } = service();
    const objects = new MemoryObjects().put('rows.jsonl', rows(6));
    const definition = mapOver({ Child: invoke() }, { MaxConcurrency: 2 });
    let taken: string | undefined;
    const execution = start(definition, {
      task,
      objects,
      onEvent: ({ type }) => {
        if (type === 'ChildSucceeded' && calls.length === 4) taken ??= JSON.stringify(execution.checkpoint());
      },
    });
    state.down = (payload) => idOf(payload) === 5;
    await execution.done;
    state.down = () => false;
    for (const saved of [JSON.stringify(execution.checkpoint()), taken ?? '']) {
      const resumed = resumeExecution(loadStateMachine(definition), JSON.parse(saved), {
        clock: new InstantClock(),
        services: { tasks: { [LAMBDA]: task }, objects },
      });
      expect((await resumed.done).output).toEqual([0, 1, 2, 3, 4, 5].map((id) => ({ id })));
      expect(resumed.checkpoint().redriveCount).toBe(1);
    }
  });
});
