import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { StateFailure } from '../../../src/dev/state-machine/failure.ts';
import { loadStateMachine, StateMachineError } from '../../../src/dev/state-machine/load.ts';
import type { TaskResource } from '../../../src/dev/state-machine/services.ts';
import { MemoryObjects, run } from './harness.ts';

/** Executions that ran on AWS, with what masked parts are known to have been put back. */
interface Recorded {
  readonly name: string;
  readonly kind: string;
  readonly definition: JsonObject;
  readonly input: JsonValue;
  readonly expected: { status: string; output?: JsonValue; error?: string; cause?: JsonValue };
  readonly history: readonly JsonObject[];
}

const shared = process.env.ASSAY_SHARED ?? join(import.meta.dirname, '../../../../shared');
const file = join(shared, 'data/step-functions-recorded/executions.jsonl.gz');

if (!existsSync(file)) {
  it.skip('recorded executions: the data folder is not here (set ASSAY_SHARED)', () => {});
} else {
  const recorded = gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
  const jsonata = recorded.filter(({ kind }) => kind.startsWith('jsonata'));
  const known = jsonata.filter(({ definition }) => !needsMore(definition));
  const others = recorded.filter((execution) => !known.includes(execution));
  let reproduced = 0;

  describe('executions recorded on AWS', () => {
    afterAll(() => {
      console.log(
        `recorded executions: ${reproduced} of ${known.length} in our part of JSONata reproduced, ${others.length} refused at load`,
      );
    });

    it.each(known)('reproduces $name', async (execution) => {
      const { definition, input } = unmask(execution);
      const result = await run(definition, { input, objects: files(execution), task: taskOf(execution) });
      const { expected } = execution;
      expect({ status: result.status, error: result.error }).toEqual({
        status: expected.status,
        error: expected.error,
      });
      if (expected.status === 'SUCCEEDED') expect(lenient(result.output)).toEqual(lenient(parsed(expected.output)));
      else if (typeof expected.cause === 'string') expect(result.cause).toBe(withoutEventId(expected.cause));
      reproduced += 1;
    });

    it.each(others)('refuses $name', ({ definition }) => {
      expect(() => loadStateMachine(definition)).toThrow(StateMachineError);
    });
  });
}

/** Another service's task, or another account's. */
function needsMore(definition: JsonObject): boolean {
  return /"Credentials"|aws-sdk|"Resource":"__tbd__"/.test(JSON.stringify(definition));
}

/** `_tbd_` and masked times: told by the cause, the history or the output. */
function unmask({ definition, input, expected, history }: Recorded): { definition: JsonObject; input: JsonValue } {
  const cause = typeof expected.cause === 'string' ? expected.cause : '';
  const assigned = history.flatMap((event) => {
    const details = event.stateExitedEventDetails as { assignedVariables?: { ItemsVar?: JsonValue } } | undefined;
    return details?.assignedVariables?.ItemsVar === undefined ? [] : [details.assignedVariables.ItemsVar];
  })[0];
  const source = /expression '(.*)' specified/.exec(cause)?.[1] ?? String(expected.output);
  const text = JSON.stringify(definition)
    .replace(
      '"ItemsVar":"_tbd_"',
      () => `"ItemsVar":${typeof assigned === 'string' ? assigned : JSON.stringify(assigned)}`,
    )
    .replace('"Items":"_tbd_"', () => `"Items":${JSON.stringify(`{% ${source} %}`)}`)
    .replaceAll('"__tbd__"', '"{% $states.input %}"')
    .replace('"FunctionName":"{% $states.input %}"', '"FunctionName":"function"');
  const time = /format string: (.*)$/.exec(cause)?.[1] ?? '2016-03-14T01:59:00.123456789Z';
  const masked = typeof input === 'object' && input !== null && 'TimestampValue' in input;
  return { definition: JSON.parse(text), input: masked ? { TimestampValue: time } : input };
}

/** The expected items, then more that MaxItems must leave out. */
function files({ kind, expected }: Recorded): MemoryObjects {
  const objects = new MemoryObjects();
  if (!kind.includes('distributed')) return objects;
  const output = parsed(expected.output) as JsonValue[];
  const items = output.flatMap((item) => (item as { Items?: JsonValue[] }).Items ?? [item]);
  objects.objects.set('bucket-name/file.json', Buffer.from(JSON.stringify([...items, { verdict: 'left out' }])));
  return objects;
}

/** Answers as the recorded calls were answered, in order. */
function taskOf({ history }: Recorded): TaskResource {
  const calls = history.flatMap((event) => {
    const done = event.taskSucceededEventDetails as { output: JsonValue } | undefined;
    const failed = event.taskFailedEventDetails as { error: string; cause: JsonValue } | undefined;
    return done === undefined && failed === undefined ? [] : [{ done, failed }];
  });
  return async () => {
    const call = calls.shift();
    if (call?.failed !== undefined) throw new StateFailure(call.failed.error, JSON.stringify(call.failed.cause));
    return call?.done?.output ?? null;
  };
}

/** Outputs that are no objects were recorded as JSON text. */
function parsed(output: JsonValue | undefined): JsonValue {
  return typeof output === 'string' ? (JSON.parse(output) as JsonValue) : (output ?? null);
}

/** Times were masked. */
function lenient(value: JsonValue | undefined): unknown {
  const text = JSON.stringify(value);
  return JSON.parse(text.replace(/"(BatchTimestamp|TimestampValue)":"[^"]*"/g, '"$1":"masked"'));
}

function withoutEventId(cause: string): string {
  return cause.replace(/ \(entered at the event id #\d+\)/, '');
}
