import { beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_WORKFLOW_NAMES, renderWorkflow } from '../../../lib/render-workflow.ts';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { startExecution } from '../../../src/dev/state-machine/execution.ts';
import { StateFailure } from '../../../src/dev/state-machine/failure.ts';
import { loadStateMachine, type StateMachine } from '../../../src/dev/state-machine/load.ts';
import { InstantClock, jsonl, LAMBDA, MemoryObjects } from './harness.ts';

interface Batch {
  readonly run_id: string;
  readonly items: readonly { readonly index: number }[];
}

const ROWS = 25;
const rowsFile = jsonl(
  Array.from({ length: ROWS }, (_, index) => ({ index, offset: index * 100, length: 100, id: `r${index}` })),
);
const probe = [0, 1].map((index) => ({ index, offset: index * 100 }));

/** The functions of the workflow: each evaluation takes at most three rows and hands the rest back. */
function functions(evaluated: number[], prepared: JsonObject = {}, flipped: JsonObject[] = []) {
  return async (args: JsonValue): Promise<JsonValue> => {
    const { FunctionName, Payload } = args as { FunctionName: string; Payload: JsonObject };
    if (FunctionName === LOCAL_WORKFLOW_NAMES.prepareRun) {
      const settings = { rows_key: 'runs/r-1/rows.jsonl', batch_size: 10, max_concurrency: 2 };
      return {
        Payload: { run_id: 'r-1', project: 'demo', proceed: true, probe, stop: null, ...settings, ...prepared },
      };
    }
    if (FunctionName === LOCAL_WORKFLOW_NAMES.aggregateRun) {
      const { run_id = null, project = null, confirmed } = Payload;
      const pending = { run_id, project, gate: 'pending', confirm: flipped };
      return { Payload: flipped.length > 0 && confirmed === false ? pending : { decided: Payload } };
    }
    const { items } = Payload as unknown as Batch;
    evaluated.push(...items.slice(0, 3).map(({ index }) => index));
    return {
      Payload: { done: Math.min(3, items.length), remaining: items.slice(3) as unknown as JsonValue, stop: null },
    };
  };
}

describe('the run workflow as CDK renders it', () => {
  let machine: StateMachine;
  beforeAll(() => {
    machine = loadStateMachine(renderWorkflow());
  }, 60_000);

  const go = (task: (args: JsonValue) => Promise<JsonValue>) => {
    const objects = new MemoryObjects();
    objects.objects.set('assay/runs/r-1/rows.jsonl', Buffer.from(rowsFile));
    const services = { tasks: { [LAMBDA]: task }, objects };
    return startExecution(machine, {
      input: { run_id: 'r-1', project: 'demo' },
      name: 'r-1',
      clock: new InstantClock(300_000),
      random: () => 0.5,
      services,
    });
  };

  it('evaluates the probe, then every row once, and aggregates', async () => {
    const evaluated: number[] = [];
    const result = await go(functions(evaluated)).done;
    expect(result).toEqual({
      status: 'SUCCEEDED',
      output: { decided: { run_id: 'r-1', project: 'demo', stop: null, confirmed: false } },
    });
    expect(evaluated.slice(0, 2)).toEqual([0, 1]);
    expect(evaluated.slice(2).sort((a, b) => a - b)).toEqual(Array.from({ length: ROWS }, (_, index) => index));
  });

  it('tries flipped rows again until none is left, then aggregates once more', async () => {
    const evaluated: number[] = [];
    const flipped = [2, 5, 7, 11].map((index) => ({ index, offset: index * 100, targets: [0] }));
    const result = await go(functions(evaluated, {}, flipped)).done;
    expect(result).toEqual({
      status: 'SUCCEEDED',
      output: { decided: { run_id: 'r-1', project: 'demo', stop: null, confirmed: true } },
    });
    expect(evaluated.slice(-4)).toEqual([2, 5, 7, 11]);
  });

  it('ends at once when prepare-run refuses the run', async () => {
    const evaluated: number[] = [];
    expect((await go(functions(evaluated, { proceed: false })).done).status).toBe('SUCCEEDED');
    expect(evaluated).toEqual([]);
  });

  it('fails on a batch that stays broken after its retries; a redrive evaluates only what is missing', async () => {
    const evaluated: number[] = [];
    const healthy = functions(evaluated);
    let broken = true;
    const execution = go(async (args) => {
      const { Payload } = args as unknown as { Payload: Partial<Batch> };
      if (broken && Payload.items?.some(({ index }) => index === 13)) throw new StateFailure('StorageError', 'disk');
      return healthy(args);
    });
    expect(await execution.done).toMatchObject({ status: 'FAILED', error: 'States.ExceedToleratedFailureThreshold' });
    broken = false;
    expect((await execution.redrive()).status).toBe('SUCCEEDED');
    const rows = evaluated.slice(2);
    expect(new Set(rows).size).toBe(ROWS);
    expect(rows.filter((index) => index === 0)).toHaveLength(1);
  });
});
