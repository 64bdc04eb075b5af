import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { loadStateMachine, StateMachineError } from '../../../src/dev/state-machine/load.ts';
import { distributedMap, invoke, LAMBDA, machine } from './harness.ts';

const done: JsonObject = { Type: 'Succeed' };
const inlineMap = (more: JsonObject): JsonObject => ({
  Type: 'Map',
  ItemProcessor: { StartAt: 'Each', States: { Each: done } },
  End: true,
  ...more,
});

function faults(definition: unknown): string[] {
  try {
    loadStateMachine(definition);
  } catch (error) {
    if (error instanceof StateMachineError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('loadStateMachine', () => {
  it('takes a definition as an object or as its JSON text', () => {
    const definition = machine({ Done: done });
    expect(faults(definition)).toEqual([]);
    expect(faults(JSON.stringify(definition))).toEqual([]);
  });

  it.each<{ name: string; definition: unknown; says: RegExp }>([
    { name: 'text that is not JSON', definition: '{', says: /the definition is not JSON/ },
    { name: 'no object', definition: null, says: /expected object/ },
    { name: 'a machine without states', definition: machine({}), says: /^field StartAt: there is no state ""/ },
    {
      name: 'an unknown field of the machine',
      definition: machine({ A: done }, { Tracing: true }),
      says: /^field Tracing: /,
    },
    {
      name: 'an unknown type',
      definition: machine({ A: { Type: 'Loop' } }),
      says: /^field States\.A\.Type: unknown type of state: "Loop"/,
    },
    {
      name: 'a type named like an object method',
      definition: machine({ A: { Type: 'toString' } }),
      says: /unknown type of state/,
    },
    { name: 'a state that is no object', definition: machine({ A: 'Pass' }), says: /^field States\.A\.Type/ },
    {
      name: 'a JSONPath machine',
      definition: { StartAt: 'A', States: { A: { Type: 'Pass', InputPath: '$.x', End: true } } },
      says: /field States\.A: the state is in JSONPath \(InputPath\)/,
    },
    {
      name: 'a JSONPath state in a JSONata machine',
      definition: machine({ A: { Type: 'Pass', QueryLanguage: 'JSONPath', ResultPath: '$.x', End: true } }),
      says: /the state is in JSONPath \(ResultPath\)/,
    },
    {
      name: 'an expression in a JSONPath state',
      definition: { StartAt: 'A', States: { A: { Type: 'Fail', Cause: '{% 1 %}' } } },
      says: /the state is in JSONPath \(an expression\)/,
    },
    {
      name: 'a JSONPath field in a JSONata state',
      definition: machine({ A: { Type: 'Pass', Result: 1, End: true } }),
      says: /^field States\.A\.Result: this field is not supported here/,
    },
    {
      name: 'a target that is not there',
      definition: machine({ A: { Type: 'Pass', Next: 'B' } }),
      says: /^field States\.A\.Next: there is no state "B"/,
    },
    {
      name: 'a catcher to nowhere',
      definition: machine({ A: invoke({ Catch: [{ ErrorEquals: ['E'], Next: 'B' }] }) }),
      says: /^field States\.A\.Catch\[0\]\.Next/,
    },
    {
      name: 'a choice to nowhere',
      definition: machine({ A: { Type: 'Choice', Choices: [{ Condition: true, Next: 'B' }] } }),
      says: /^field States\.A\.Choices\[0\]\.Next/,
    },
    {
      name: 'Next and End together',
      definition: machine({ A: { Type: 'Pass', Next: 'B', End: true }, B: done }),
      says: /needs either Next or End/,
    },
    { name: 'neither Next nor End', definition: machine({ A: { Type: 'Pass' } }), says: /needs either Next or End/ },
    {
      name: 'a heartbeat',
      definition: machine({ A: invoke({ HeartbeatSeconds: 5 }) }),
      says: /^field States\.A\.HeartbeatSeconds/,
    },
    {
      name: 'credentials',
      definition: machine({ A: invoke({ Credentials: {} }) }),
      says: /^field States\.A\.Credentials/,
    },
    {
      name: 'another service',
      definition: machine({ A: invoke({ Resource: 'arn:aws:states:::sqs:sendMessage' }) }),
      says: /^field States\.A\.Resource: arn:aws:states:::sqs:sendMessage is not supported/,
    },
    {
      name: 'another argument of lambda:invoke',
      definition: machine({ A: invoke({ Arguments: { FunctionName: 'f', InvocationType: 'Event' } }) }),
      says: /^field States\.A\.Arguments\.InvocationType/,
    },
    {
      name: 'lambda:invoke without a function',
      definition: machine({ A: invoke({ Arguments: {} }) }),
      says: /needs FunctionName/,
    },
    {
      name: 'an expression that does not parse',
      definition: machine({ A: { Type: 'Pass', Output: { x: ['{% 1 + %}'] }, End: true } }),
      says: /^field States\.A\.Output\.x\[0\]: .*in the expression 1 \+/,
    },
    {
      name: '$eval',
      definition: machine({ A: { Type: 'Pass', Output: "{% $map([1], function($x) { $eval('1') }) %}", End: true } }),
      says: /\$eval is not available/,
    },
    {
      name: 'a wait for both',
      definition: machine({ A: { Type: 'Wait', Seconds: 1, Timestamp: '2026-01-01T00:00:00Z', End: true } }),
      says: /either Seconds or Timestamp/,
    },
    {
      name: 'a negative wait',
      definition: machine({ A: { Type: 'Wait', Seconds: -1, End: true } }),
      says: /^field States\.A\.Seconds: Too small/,
    },
    {
      name: 'States.ALL beside others',
      definition: machine({ A: invoke({ Retry: [{ ErrorEquals: ['States.ALL', 'E'] }] }) }),
      says: /States\.ALL must stand alone/,
    },
    {
      name: 'States.ALL before others',
      definition: machine({ A: invoke({ Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['E'] }] }) }),
      says: /States\.ALL must come last/,
    },
    {
      name: 'an unknown field of a retrier',
      definition: machine({ A: invoke({ Retry: [{ ErrorEquals: ['E'], Backoff: 2 }] }) }),
      says: /^field States\.A\.Retry\[0\]\.Backoff/,
    },
    {
      name: 'the reserved variable',
      definition: machine({ A: { Type: 'Pass', Assign: { states: 1 }, End: true } }),
      says: /"states" is reserved/,
    },
    {
      name: 'a variable with a dollar',
      definition: machine({ A: { Type: 'Pass', Assign: { $x: 1 }, End: true } }),
      says: /no name for a variable/,
    },
    {
      name: 'a name used in two workflows',
      definition: machine({ Each: inlineMap({}) }),
      says: /the name of this state is taken/,
    },
    {
      name: 'a reader in an inline Map',
      definition: machine({ A: inlineMap({ ToleratedFailureCount: 1 }) }),
      says: /only a Map in DISTRIBUTED mode/,
    },
    {
      name: 'CSV',
      definition: machine({
        A: distributedMap({ C: done }, { ItemReader: reader({ InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW' }) }),
      }),
      says: /ItemReader\.ReaderConfig\.CSVHeaderLocation/,
    },
    {
      name: 'listing objects',
      definition: machine({
        A: distributedMap(
          { C: done },
          {
            ItemReader: {
              Resource: 'arn:aws:states:::s3:listObjectsV2',
              Arguments: { Bucket: 'b', Key: 'k' },
              ReaderConfig: { InputType: 'JSON' },
            },
          },
        ),
      }),
      says: /^field States\.A\.ItemReader\.Resource/,
    },
    {
      name: 'items from two places',
      definition: machine({ A: distributedMap({ C: done }, { Items: [1] }) }),
      says: /either Items or an ItemReader/,
    },
    {
      name: 'a batcher without a limit',
      definition: machine({ A: distributedMap({ C: done }, { ItemBatcher: { BatchInput: {} } }) }),
      says: /give MaxItemsPerBatch/,
    },
    {
      name: 'batches over 256 KiB',
      definition: machine({ A: distributedMap({ C: done }, { ItemBatcher: { MaxInputBytesPerBatch: 262_145 } }) }),
      says: /MaxInputBytesPerBatch: Too big/,
    },
    {
      name: 'a tolerance over 100 %',
      definition: machine({ A: distributedMap({ C: done }, { ToleratedFailurePercentage: 101 }) }),
      says: /ToleratedFailurePercentage: Too big/,
    },
    {
      name: 'an empty writer',
      definition: machine({ A: distributedMap({ C: done }, { ResultWriter: {} }) }),
      says: /give Resource and Arguments, WriterConfig or all three/,
    },
    {
      name: 'a writer without a bucket',
      definition: machine({
        A: distributedMap({ C: done }, { ResultWriter: { Resource: 'arn:aws:states:::s3:putObject' } }),
      }),
      says: /Resource and Arguments go together/,
    },
    {
      name: 'a label of 41 characters',
      definition: machine({ A: distributedMap({ C: done }, { Label: 'x'.repeat(41) }) }),
      says: /at most 40 characters/,
    },
    {
      name: 'a fault deep inside',
      definition: machine({
        A: {
          Type: 'Parallel',
          End: true,
          Branches: [
            {
              StartAt: 'M',
              States: { M: inlineMap({ ItemProcessor: { StartAt: 'P', States: { P: { ...done, Foo: 1 } } } }) },
            },
          ],
        },
      }),
      says: /^field States\.A\.Branches\[0\]\.States\.M\.ItemProcessor\.States\.P\.Foo/,
    },
  ])('refuses $name', ({ definition, says }) => {
    expect(faults(definition).join('\n')).toMatch(says);
  });

  it('lists every fault at once', () => {
    const definition = machine({
      A: { Type: 'Pass', Foo: 1, End: true },
      B: { Type: 'Pass', Bar: 1, Baz: 2, End: true },
    });
    expect(faults(definition).map((fault) => fault.split(':')[0])).toEqual([
      'field States.A.Foo',
      'field States.B.Bar',
      'field States.B.Baz',
    ]);
  });

  it('takes JSONPath states in which nothing depends on the language', () => {
    expect(
      faults({ StartAt: 'A', States: { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Fail', Error: 'E', Cause: 'c' } } }),
    ).toEqual([]);
  });

  it('takes other resources when the caller has them', () => {
    const put = 'arn:aws:states:::events:putEvents';
    const definition = machine({ A: { Type: 'Task', Resource: put, Arguments: { Entries: [] }, End: true } });
    expect(() => loadStateMachine(definition, { resources: [LAMBDA, put] })).not.toThrow();
  });

  it('leaves fields called Comment inside a payload alone but evaluates them', () => {
    expect(faults(machine({ A: { Type: 'Pass', Output: { Comment: '{% 1 + %}' }, End: true } }))).toHaveLength(1);
  });
});

function reader(config: JsonObject): JsonValue {
  return { Resource: 'arn:aws:states:::s3:getObject', ReaderConfig: config, Arguments: { Bucket: 'b', Key: 'k' } };
}
