import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { StateFailure } from '../../../src/dev/state-machine/failure.ts';
import {
  distributedMap,
  InstantClock,
  invoke,
  jsonl,
  MemoryObjects,
  machine,
  mapOver,
  recorder,
  run,
} from './harness.ts';

const pass: JsonObject = { Child: { Type: 'Pass', End: true } };
const rows = (count: number): JsonValue[] => Array.from({ length: count }, (_, n) => ({ id: `r${n}` }));
const withRows = (count: number) => new MemoryObjects().put('rows.jsonl', jsonl(rows(count)));
const batches = (size: number, more: JsonObject = {}): JsonObject => ({
  ItemBatcher: { MaxItemsPerBatch: size, ...more },
});

describe('reading items', () => {
  const file = (body: string | Buffer) => new MemoryObjects().put('rows.jsonl', body);
  const json = {
    ItemReader: {
      Resource: 'arn:aws:states:::s3:getObject',
      ReaderConfig: { InputType: 'JSON' },
      Arguments: { Bucket: 'bucket', Key: 'rows.jsonl' },
    },
  };
  const most = (MaxItems: JsonValue): JsonObject => ({
    ItemReader: {
      Resource: 'arn:aws:states:::s3:getObject',
      ReaderConfig: { InputType: 'JSONL', MaxItems },
      Arguments: { Bucket: 'bucket', Key: '{% $states.input.key %}' },
    },
  });

  it.each<{ name: string; body: string | Buffer; more?: JsonObject; output: JsonValue }>([
    {
      name: 'lines whose characters are cut between reads',
      body: '{"t":"déjà 😀"}\n"x"\n',
      output: [{ t: 'déjà 😀' }, 'x'],
    },
    { name: 'a last line without an end, blank lines and Windows ends', body: '1\r\n\n  \n2', output: [1, 2] },
    { name: 'a byte order mark', body: '\ufeff1\n', output: [1] },
    { name: 'an empty object', body: '', output: [] },
    { name: 'gzip, whatever it is called', body: gzipSync('1\n2\n'), output: [1, 2] },
    { name: 'gzip in several members', body: Buffer.concat([gzipSync('1\n'), gzipSync('2\n')]), output: [1, 2] },
    { name: 'a JSON array', body: '[1, {"a": [2]}]', more: json, output: [1, { a: [2] }] },
    { name: 'a JSON array in gzip', body: gzipSync('[1]'), more: json, output: [1] },
    { name: 'no more than MaxItems', body: '1\n2\n3\n', more: most('{% 1 + 1 %}'), output: [1, 2] },
    { name: 'everything for MaxItems 0', body: '1\n2\n3\n', more: most(0), output: [1, 2, 3] },
    {
      name: 'nothing after MaxItems, not even what is broken',
      body: `1\n${' '.repeat(90_000)}\n{`,
      more: most(1),
      output: [1],
    },
  ])('reads $name', async ({ body, more, output }) => {
    const result = await run(mapOver(pass, more), { objects: file(body), input: { key: 'rows.jsonl' } });
    expect(result).toEqual({ status: 'SUCCEEDED', output });
  });

  it.each<{ name: string; body?: string | Buffer; more?: JsonObject; error?: string; cause: RegExp }>([
    { name: 'a missing object', cause: /^s3:\/\/bucket\/rows\.jsonl: The specified key does not exist/ },
    { name: 'a broken line', body: '1\n{"a"\n', cause: /rows\.jsonl, line 2: / },
    { name: 'bytes that are no UTF-8', body: Buffer.from([0x22, 0xff, 0x22]), cause: /not valid/ },
    { name: 'cut gzip', body: gzipSync('1\n2\n').subarray(0, 15), cause: /unexpected end of file/ },
    { name: 'zstd', body: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), cause: /zstd/ },
    { name: 'a JSON object', body: '{"a": 1}', more: json, cause: /^Attempting to map over non-iterable node\.$/ },
    { name: 'a negative MaxItems', body: '1\n', more: most('{% -1 %}'), cause: /^field MaxItems must be positive$/ },
    {
      name: 'half an item',
      body: '1\n',
      more: most('{% 1.5 %}'),
      error: 'States.QueryEvaluationError',
      cause: /MaxItems/,
    },
  ])('fails on $name', async ({ body, more, error, cause }) => {
    const objects = body === undefined ? new MemoryObjects() : file(body);
    const result = await run(mapOver(pass, more), { objects, input: { key: 'rows.jsonl' } });
    expect(result).toMatchObject({
      status: 'FAILED',
      error: error ?? 'States.ItemReaderFailed',
      cause: expect.stringMatching(cause),
    });
  });

  it('lets Retry and Catch of the Map take a reader that failed', async () => {
    const clock = new InstantClock();
    const map: JsonObject = {
      ...distributedMap(pass, {
        Retry: [{ ErrorEquals: ['States.ItemReaderFailed'], MaxAttempts: 1 }],
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
      }),
    };
    const result = await run(machine({ Map: map, Caught: { Type: 'Succeed', Output: '{% $states.input.Error %}' } }), {
      objects: new MemoryObjects(),
      clock,
    });
    expect(result.output).toBe('States.ItemReaderFailed');
    expect(clock.slept).toEqual([1000]);
  });

  it('maps over the input or Items where there is no reader', async () => {
    const { ItemReader: _, ...map } = distributedMap(pass);
    expect((await run(machine({ M: map }), { input: [1, [2]] })).output).toEqual([1, [2]]);
    expect(
      (await run(machine({ M: { ...map, Items: '{% $states.input.r %}' } }), { input: { r: [3] } })).output,
    ).toEqual([3]);
    expect(await run(machine({ M: map }), { input: { r: [3] } })).toMatchObject({
      error: 'States.QueryEvaluationError',
    });
  });
});

describe('children', () => {
  it('get batches with BatchInput first, the last one smaller', async () => {
    const more = batches(2, { BatchInput: { run: '{% $states.input.run %}' } });
    const result = await run(mapOver(pass, more), { objects: withRows(3), input: { run: 'r-1' } });
    expect(result.output).toEqual([
      { BatchInput: { run: 'r-1' }, Items: [{ id: 'r0' }, { id: 'r1' }] },
      { BatchInput: { run: 'r-1' }, Items: [{ id: 'r2' }] },
    ]);
    expect(JSON.stringify(result.output)).toMatch(/^\[\{"BatchInput"/);
  });

  it('get items as the selector makes them, before they are batched', async () => {
    const more: JsonObject = {
      ...batches(5),
      ItemSelector: {
        n: '{% $states.context.Map.Item.Index %}',
        row: '{% $states.context.Map.Item.Value.id %}',
        from: '{% $states.context.Map.Item.Source %}',
        run: '{% $states.input.run %}',
      },
    };
    const result = await run(mapOver(pass, more), { objects: withRows(2), input: { run: 'r-1' } });
    const from = 'S3://bucket/rows.jsonl';
    expect(result.output).toEqual([
      {
        Items: [
          { n: 0, row: 'r0', from, run: 'r-1' },
          { n: 1, row: 'r1', from, run: 'r-1' },
        ],
      },
    ]);
  });

  it.each<{ name: string; limit: JsonObject; sizes: number[] }>([
    {
      name: '34: {"Items":[{"id":"r0"},{"id":"r1"}]} has 35',
      limit: { MaxInputBytesPerBatch: 34 },
      sizes: [1, 1, 1, 1, 1],
    },
    { name: '35', limit: { MaxInputBytesPerBatch: 35 }, sizes: [2, 2, 1] },
    { name: 'an expression says', limit: { MaxInputBytesPerBatch: '{% 40 - 5 %}' }, sizes: [2, 2, 1] },
    { name: '35, BatchInput included', limit: { MaxInputBytesPerBatch: 35, BatchInput: 1 }, sizes: [] },
    { name: '38, BatchInput included', limit: { MaxInputBytesPerBatch: 38, BatchInput: 1 }, sizes: [1, 1, 1, 1, 1] },
    {
      name: '35 bytes and one item',
      limit: { MaxInputBytesPerBatch: 35, MaxItemsPerBatch: 1 },
      sizes: [1, 1, 1, 1, 1],
    },
  ])('get no more bytes than $name', async ({ limit, sizes }) => {
    const result = await run(mapOver(pass, { ItemBatcher: limit }), { objects: withRows(5) });
    const made = (result.output ?? []) as { Items: JsonValue[] }[];
    expect(made.map(({ Items }) => Items.length)).toEqual(sizes);
  });

  it('fill up to 256 KiB where only the number of items is bounded', async () => {
    const objects = new MemoryObjects().put('rows.jsonl', jsonl(Array.from({ length: 10 }, () => 'x'.repeat(100_000))));
    const sizes: number[] = [];
    await run(mapOver({ Child: invoke() }, batches(100)), {
      objects,
      lambda: (payload) => {
        sizes.push((payload as { Items: JsonValue[] }).Items.length);
        return null;
      },
    });
    expect(sizes).toEqual([2, 2, 2, 2, 2]);
  });

  it('cannot have an item over the limit unless the selector makes it smaller', async () => {
    const objects = new MemoryObjects().put('rows.jsonl', jsonl([{ big: 'x'.repeat(300_000), id: 1 }]));
    expect(await run(mapOver(pass), { objects })).toMatchObject({
      status: 'FAILED',
      error: 'States.DataLimitExceeded',
    });
    expect(
      (await run(mapOver(pass, { ItemSelector: '{% $states.context.Map.Item.Value.id %}' }), { objects })).output,
    ).toEqual([1]);
  });

  it('see none of the outer variables and a context of their own', async () => {
    const context = {
      Type: 'Pass',
      End: true,
      Output: {
        id: '{% $states.context.Execution.Id %}',
        machine: '{% $states.context.StateMachine.Id %}',
        outer: '{% $exists($v) %}',
        item: '{% $exists($states.context.Map) %}',
      },
    };
    const definition = machine({
      A: { Type: 'Pass', Assign: { v: 1 }, Next: 'M' },
      M: distributedMap({ Child: context }, { Label: 'Rows' }),
    });
    const [child] = (await run(definition, { objects: withRows(1) })).output as JsonObject[];
    expect(child).toMatchObject({
      machine: 'arn:aws:states:us-east-1:000000000000:stateMachine:local/Rows',
      outer: false,
      item: false,
    });
    expect(child?.id).toMatch(/^arn:aws:states:us-east-1:000000000000:execution:local\/Rows:[0-9a-f-]+-0$/);
  });

  it.each([{ MaxConcurrency: 3 }, { MaxConcurrency: '{% $states.input.n %}' }])(
    'run at most $MaxConcurrency at once, and that many',
    async (more) => {
      let active = 0;
      let most = 0;
      const lambda = async () => {
        most = Math.max(most, ++active);
        await new Promise(setImmediate);
        active -= 1;
        return null;
      };
      await run(mapOver({ Child: invoke() }, more), { objects: withRows(20), input: { n: 3 }, lambda });
      expect(most).toBe(3);
    },
  );

  it('are read no further ahead than they start', async () => {
    let read = 0;
    const objects = new MemoryObjects();
    const reading = {
      putObject: objects.putObject.bind(objects),
      async *getObject() {
        for (; read < 1_000_000; read += 1) yield Buffer.from('{}\n');
      },
    };
    let calls = 0;
    const task = async () => {
      calls += 1;
      if (calls === 50) throw new StateFailure('Boom');
      await new Promise(setImmediate);
      return {};
    };
    const result = await run(mapOver({ Child: invoke({ Output: null }) }, { MaxConcurrency: 2 }), {
      objects: reading,
      task,
    });
    expect(result.error).toBe('States.ExceedToleratedFailureThreshold');
    expect(read).toBeLessThan(60);
  });

  it('retry by themselves, with jitter, and the Map knows nothing of it', async () => {
    const clock = new InstantClock();
    const failed = new Set<string>();
    const task = async (args: JsonValue) => {
      const { Payload } = args as { Payload: { id: string } };
      if (!failed.has(Payload.id)) {
        failed.add(Payload.id);
        throw new StateFailure('Lambda.TooManyRequestsException');
      }
      return { Payload: Payload.id };
    };
    const Retry = [{ ErrorEquals: ['Lambda.TooManyRequestsException'], IntervalSeconds: 4, JitterStrategy: 'FULL' }];
    const result = await run(mapOver({ Child: invoke({ Retry }) }), {
      objects: withRows(3),
      clock,
      task,
      random: () => 0.25,
    });
    expect(result.output).toEqual(['r0', 'r1', 'r2']);
    expect(clock.slept).toEqual([1000, 1000, 1000]);
  });

  it('put out no more than a state may, although each is small', async () => {
    const objects = new MemoryObjects().put('rows.jsonl', jsonl(Array.from({ length: 30 }, () => 'x'.repeat(10_000))));
    const result = await run(mapOver(pass, { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'EvaluateRows' }] }), {
      objects,
    });
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });

  it('are reported with the size of their batch', async () => {
    const { events, onEvent } = recorder();
    await run(mapOver(pass, batches(2)), { objects: withRows(3), onEvent });
    expect(events.filter(({ type }) => type === 'ChildSucceeded').map(({ itemCount }) => itemCount)).toEqual([2, 1]);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('MapRun'))).toEqual([
      'MapRunStarted',
      'MapRunSucceeded',
    ]);
  });

  it('get every item exactly once and in order, whatever the batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ t: fc.string({ unit: 'grapheme', maxLength: 40 }) }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 500, max: 2_000 }),
        fc.integer({ min: 0, max: 5 }),
        async (items, MaxItemsPerBatch, MaxInputBytesPerBatch, MaxConcurrency) => {
          const objects = new MemoryObjects().put('rows.jsonl', jsonl(items));
          const seen = new Map<string, JsonValue[]>();
          const task = async (args: JsonValue, { execution }: { execution: string }) => {
            const { Payload } = args as { Payload: { Items: JsonValue[] } };
            expect(seen.has(execution)).toBe(false);
            expect(Payload.Items.length).toBeLessThanOrEqual(MaxItemsPerBatch);
            expect(Buffer.byteLength(JSON.stringify(Payload))).toBeLessThanOrEqual(MaxInputBytesPerBatch);
            seen.set(execution, Payload.Items);
            return { Payload: 0 };
          };
          const more = { MaxConcurrency, ItemBatcher: { MaxItemsPerBatch, MaxInputBytesPerBatch } };
          const result = await run(mapOver({ Child: invoke() }, more), { objects, task });
          expect(result.status).toBe('SUCCEEDED');
          expect([...seen.values()].flat()).toEqual(items);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('tolerance', () => {
  const failing = (ids: readonly number[]) => async (args: JsonValue) => {
    const { Items } = (args as { Payload: { Items: { id: string }[] } }).Payload;
    if (Items.some(({ id }) => ids.includes(Number(id.slice(1))))) throw new StateFailure('Boom', 'c');
    return { Payload: Items.length };
  };

  it.each<{ name: string; more: JsonObject; fail: number[]; status: string; starts?: number }>([
    { name: 'none by default: the first failure stops the rest', more: {}, fail: [2], status: 'FAILED', starts: 2 },
    {
      name: 'a count is counted in items, not children',
      more: { ToleratedFailureCount: 3 },
      fail: [0, 2],
      status: 'FAILED',
      starts: 2,
    },
    {
      name: 'exactly the count is tolerated',
      more: { ToleratedFailureCount: 4 },
      fail: [0, 2],
      status: 'SUCCEEDED',
      starts: 5,
    },
    {
      name: 'exactly the percentage is tolerated',
      more: { ToleratedFailurePercentage: 40 },
      fail: [0, 2],
      status: 'SUCCEEDED',
      starts: 5,
    },
    { name: 'just over it fails', more: { ToleratedFailurePercentage: 39.9 }, fail: [0, 2], status: 'FAILED' },
    {
      name: 'the percentage is of all items, so early failures do not trip it',
      more: { ToleratedFailurePercentage: 20 },
      fail: [0],
      status: 'SUCCEEDED',
      starts: 5,
    },
    {
      name: 'whichever trips first',
      more: { ToleratedFailurePercentage: 100, ToleratedFailureCount: 0 },
      fail: [0],
      status: 'FAILED',
      starts: 1,
    },
    {
      name: 'an expression',
      more: { ToleratedFailureCount: '{% $states.input.many %}' },
      fail: [0, 2],
      status: 'SUCCEEDED',
      starts: 5,
    },
    {
      name: 'everything may fail at 100 %',
      more: { ToleratedFailurePercentage: 100 },
      fail: [0, 2, 4, 6, 8],
      status: 'SUCCEEDED',
      starts: 5,
    },
  ])('$name', async ({ more, fail, status, starts }) => {
    const { events, onEvent } = recorder();
    const definition = mapOver({ Child: invoke() }, { MaxConcurrency: 1, ...batches(2), ...more });
    const result = await run(definition, { objects: withRows(10), task: failing(fail), onEvent, input: { many: 4 } });
    expect(result.status).toBe(status);
    if (status === 'FAILED') expect(result.error).toBe('States.ExceedToleratedFailureThreshold');
    if (starts !== undefined) expect(events.filter(({ type }) => type === 'ChildStarted')).toHaveLength(starts);
  });

  it('puts failed children out with their error among the outputs', async () => {
    const result = await run(mapOver({ Child: invoke() }, { ...batches(1), ToleratedFailureCount: 1 }), {
      objects: withRows(2),
      task: failing([0]),
    });
    expect(result.output).toEqual([
      expect.objectContaining({ Status: 'FAILED', Error: 'Boom', Cause: 'c', Input: '{"Items":[{"id":"r0"}]}' }),
      1,
    ]);
  });

  it('a bad tolerance fails before anything starts', async () => {
    const { events, onEvent } = recorder();
    const result = await run(mapOver(pass, { ToleratedFailurePercentage: '{% 100.1 %}' }), {
      objects: withRows(2),
      onEvent,
    });
    expect(result).toMatchObject({ error: 'States.QueryEvaluationError' });
    expect(events.map(({ type }) => type)).not.toContain('ChildStarted');
  });

  it('interrupts the children under way', async () => {
    const signals: AbortSignal[] = [];
    const task = (args: JsonValue, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      const { Payload } = args as { Payload: { id: string } };
      return Payload.id === 'r2' ? Promise.reject(new StateFailure('Boom')) : new Promise<JsonValue>(() => {});
    };
    const { events, onEvent } = recorder();
    await run(mapOver({ Child: invoke() }, { MaxConcurrency: 3 }), { objects: withRows(9), task, onEvent });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    expect(events.filter(({ type }) => type === 'ChildAborted')).toHaveLength(2);
  });
});

describe('ResultWriter', () => {
  const writer = (WriterConfig?: JsonObject): JsonObject => ({
    Label: 'Rows',
    ResultWriter: {
      Resource: 'arn:aws:states:::s3:putObject',
      Arguments: { Bucket: 'bucket', Prefix: 'runs/{% no expression' },
      ...(WriterConfig === undefined ? {} : { WriterConfig }),
    },
  });
  const written = (output: JsonValue | undefined, objects: MemoryObjects) => {
    const { ResultWriterDetails } = output as { ResultWriterDetails: { Key: string } };
    return JSON.parse(objects.text(ResultWriterDetails.Key)) as {
      MapRunArn: string;
      DestinationBucket: string;
      ResultFiles: Record<'SUCCEEDED' | 'FAILED' | 'PENDING', { Key: string; Size: number }[]>;
    };
  };

  it('puts out the Map Run and where the manifest is', async () => {
    const objects = withRows(2);
    const { output } = await run(mapOver(pass, writer()), { objects });
    const id = '80808080-8080-4080-8080-808080808080';
    expect(output).toEqual({
      MapRunArn: `arn:aws:states:us-east-1:000000000000:mapRun:local/Rows:${id}`,
      ResultWriterDetails: { Bucket: 'bucket', Key: `runs/{% no expression/${id}/manifest.json` },
    });
    const manifest = written(output, objects);
    expect(manifest).toMatchObject({ DestinationBucket: 'bucket', ResultFiles: { FAILED: [], PENDING: [] } });
    const [file] = manifest.ResultFiles.SUCCEEDED;
    const body = objects.text(file?.Key ?? '');
    expect(file?.Size).toBe(Buffer.byteLength(body));
    expect(JSON.parse(body)).toEqual([
      expect.objectContaining({
        Status: 'SUCCEEDED',
        Input: '{"id":"r0"}',
        Output: '{"id":"r0"}',
        StartDate: '2026-01-01T00:00:00.000Z',
      }),
      expect.objectContaining({ Output: '{"id":"r1"}' }),
    ]);
  });

  it.each<{ config: JsonObject; body: string }>([
    { config: { Transformation: 'COMPACT', OutputType: 'JSON' }, body: '[[1,2],[3]]' },
    { config: { Transformation: 'FLATTEN', OutputType: 'JSON' }, body: '[1,2,3]' },
    { config: { Transformation: 'COMPACT', OutputType: 'JSONL' }, body: '[1,2]\n[3]\n' },
    { config: { Transformation: 'FLATTEN', OutputType: 'JSONL' }, body: '1\n2\n3\n' },
  ])('writes $config.Transformation as $config.OutputType', async ({ config, body }) => {
    const objects = new MemoryObjects().put('rows.jsonl', '[1,2]\n[3]\n');
    const { output } = await run(mapOver(pass, writer(config)), { objects });
    expect(objects.text(written(output, objects).ResultFiles.SUCCEEDED[0]?.Key ?? '')).toBe(body);
  });

  it('flattens what the state puts out where there is no bucket', async () => {
    const objects = new MemoryObjects().put('rows.jsonl', '[1,2]\n3\n');
    const more = { ResultWriter: { WriterConfig: { Transformation: 'FLATTEN', OutputType: 'JSON' } } };
    expect((await run(mapOver(pass, more), { objects })).output).toEqual([1, 2, 3]);
  });

  it('writes what failed and what never started before the Map fails', async () => {
    const objects = withRows(5);
    const task = async (args: JsonValue) => {
      if ((args as { Payload: { id: string } }).Payload.id === 'r1') throw new StateFailure('Boom', 'c');
      return { Payload: 0 };
    };
    const map = distributedMap(
      { Child: invoke() },
      { ...writer({ Transformation: 'COMPACT', OutputType: 'JSON' }), MaxConcurrency: 1 },
    );
    expect((await run(machine({ M: map }), { objects, task })).error).toBe('States.ExceedToleratedFailureThreshold');
    const key =
      [...objects.objects.keys()].find((name) => name.endsWith('manifest.json'))?.slice('bucket/'.length) ?? '';
    const { ResultFiles } = JSON.parse(objects.text(key));
    const records = (kind: 'FAILED' | 'PENDING') => JSON.parse(objects.text(ResultFiles[kind][0].Key)) as JsonObject[];
    expect(records('FAILED')).toEqual([
      expect.objectContaining({
        Status: 'FAILED',
        Error: 'Boom',
        Input: '{"id":"r1"}',
        RedriveStatus: 'REDRIVABLE_BY_MAP_RUN',
      }),
    ]);
    expect(records('PENDING').map(({ Status, Input }) => [Status, Input])).toEqual(
      [2, 3, 4].map((n) => ['PENDING', `{"id":"r${n}"}`]),
    );
    expect(JSON.parse(objects.text(ResultFiles.SUCCEEDED[0].Key))).toEqual([0]);
  });

  it('fails the Map when S3 refuses, without hanging', async () => {
    const objects = withRows(500);
    const refusing = {
      getObject: objects.getObject.bind(objects),
      putObject: async () => {
        throw new Error('Access Denied');
      },
    };
    const map = distributedMap(pass, writer());
    expect(await run(machine({ M: map }), { objects: refusing })).toMatchObject({
      error: 'States.ResultWriterFailed',
      cause: expect.stringContaining('Access Denied'),
    });
  });
});
