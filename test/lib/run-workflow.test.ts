import { App } from 'aws-cdk-lib';
import jsonata from 'jsonata';
import { describe, expect, it } from 'vitest';
import { LOCAL_WORKFLOW_NAMES, readCdkContext, renderWorkflow } from '../../lib/render-workflow.ts';
import {
  AggregateInputSchema,
  type AggregateReport,
  type BatchReport,
  type PreparedRun,
  RowBatchSchema,
} from '../../src/core/schemas/workflow.ts';
import { loadStateMachine } from '../../src/dev/state-machine/load.ts';
import {
  type Asl,
  allStates,
  expressionOf,
  findExpressionFaults,
  findOwnFaults,
  findSchemaFaults,
  findServiceFaults,
} from './asl-lint.ts';
import { flatten, onlyResource, synthStage } from './synth.ts';

const definition = renderWorkflow();
const states = new Map(allStates(definition).map(({ name, state }) => [name, state]));
const map = states.get('EvaluateRows') as Asl;
const tasks = [...states].filter(([, state]) => state.Type === 'Task');

const prepared: PreparedRun = {
  run_id: 'r-1',
  project: 'shop',
  proceed: true,
  rows: 3,
  rows_key: 'runs/shop/r-1/rows.jsonl',
  probe: [{ index: 0, offset: 0 }],
  batch_size: 2,
  max_concurrency: 1,
};
const report: BatchReport = { run_id: 'r-1', first_index: 0, done: 1, stop: null, remaining: [] };
const down = { cause: 'target down', why: 'all 8 probe rows failed' } as const;
const left = [{ index: 1, offset: 70 }];

describe('definition', () => {
  it('is valid to both validators, and in what neither sees', async () => {
    expect(findSchemaFaults(definition)).toEqual([]);
    expect(await findServiceFaults(definition)).toEqual([]);
    expect(findOwnFaults(definition)).toEqual([]);
  });

  it('holds expressions that parse, and only JSONata', () => {
    expect(definition.QueryLanguage).toBe('JSONata');
    expect(findExpressionFaults(definition)).toEqual([]);
  });

  it('is the one that is deployed', () => {
    const machine = onlyResource(synthStage().evaluation, 'AWS::StepFunctions::StateMachine');
    const deployed = flatten(machine.Properties.DefinitionString)
      .replace(/<Run(PrepareRun|EvaluateRows|AggregateRun)\w+\.Arn>/g, (_, name: string) => localArn(name))
      .replace(/<ExportsOutputRef\w+>/g, LOCAL_WORKFLOW_NAMES.bucket)
      .replaceAll('<AWS::Partition>', 'aws');
    expect(JSON.parse(deployed)).toEqual(definition);
  });

  it('asks for nothing that the local interpreter does not do', () => {
    expect(() => loadStateMachine(definition)).not.toThrow();
  });

  it('ends an execution that hangs', () => {
    expect(definition.TimeoutSeconds).toBe(86_400);
  });

  it('needs the flags of cdk.json: without them CDK drops the ResultWriter unseen', () => {
    expect(readCdkContext()).toMatchObject({
      '@aws-cdk/aws-stepfunctions:useDistributedMapResultWriterV2': true,
    });
    expect(new App().node.tryGetContext('@aws-cdk/aws-stepfunctions:useDistributedMapResultWriterV2')).toBeUndefined();
  });
});

describe('every task', () => {
  it.each(tasks)('%s is bounded in time', (_, state) => {
    expect(state.TimeoutSeconds).toBe(960);
  });

  it.each(tasks)('%s waits for Lambda’s concurrency, with full jitter', (_, state) => {
    const retries = state.Retry as Asl[];
    expect(
      retries.find((retry) => (retry.ErrorEquals as string[]).includes('Lambda.TooManyRequestsException')),
    ).toEqual(expect.objectContaining({ JitterStrategy: 'FULL', MaxAttempts: 200, MaxDelaySeconds: 120 }));
    for (const retry of retries.filter(({ MaxAttempts }) => MaxAttempts !== 0)) {
      expect(retry).toMatchObject({ JitterStrategy: 'FULL', BackoffRate: 2 });
    }
  });

  it.each(tasks)('%s is tried again after a crash or a timeout, but not after a refusal', (_, state) => {
    const attempts = (error: string) =>
      (state.Retry as Asl[]).find((retry) => (retry.ErrorEquals as string[]).includes(error))?.MaxAttempts;
    expect(attempts('States.TaskFailed')).toBe(3);
    expect(attempts('States.Timeout')).toBe(3);
    expect(attempts('Lambda.ServiceException')).toBe(8);
    expect(attempts('ConfigError')).toBe(0);
    expect((state.Retry as Asl[]).at(-1)?.ErrorEquals).toContain('States.TaskFailed');
  });
});

describe('the Map', () => {
  it('tolerates no failed batch and catches nothing, so that a redrive resumes it', () => {
    expect(map).not.toHaveProperty('Catch');
    expect(map).not.toHaveProperty('Retry');
    expect(Object.keys(map).filter((key) => key.startsWith('Tolerated'))).toEqual([]);
  });

  it('runs its children as STANDARD executions', () => {
    expect((map.ItemProcessor as Asl).ProcessorConfig).toEqual({ Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' });
  });

  it('reads the run’s rows from one bucket', () => {
    expect(map.ItemReader).toEqual({
      Resource: 'arn:aws:states:::s3:getObject',
      ReaderConfig: { InputType: 'JSONL' },
      Arguments: { Bucket: 'assay', Key: '{% $states.input.rows_key %}' },
    });
  });

  it('writes its records apart from the results that Athena reads', () => {
    expect(map.ResultWriter).toMatchObject({ Arguments: { Bucket: 'assay', Prefix: 'map-results' } });
  });

  it('takes batch size and concurrency from the prepared run', async () => {
    const { MaxItemsPerBatch } = map.ItemBatcher as { MaxItemsPerBatch: string };
    expect(await evaluate(MaxItemsPerBatch, { input: prepared })).toBe(2);
    expect(await evaluate(map.MaxConcurrency, { input: prepared })).toBe(1);
  });

  it('hands on where a row lies, and nothing of what it holds', async () => {
    const value = { index: 7, offset: 900, input: 'x'.repeat(200_000) };
    const item = await evaluate(map.ItemSelector, { context: { Map: { Item: { Index: 0, Value: value } } } });
    expect(item).toEqual({ index: 7, offset: 900 });
  });

  it('keeps the input of a thousand rows a batch below 256 KiB', () => {
    const Items = Array.from({ length: 1000 }, () => ({ index: 9_999_999, offset: 9_999_999_999 }));
    expect(JSON.stringify({ BatchInput: { run_id: 'r', project: 'p' }, Items }).length).toBeLessThan(64 * 1024);
  });
});

describe('what passes between the states', () => {
  it.each([[[{ index: 0, offset: 0 }]], [[...left, { index: 2, offset: 140 }]]])(
    'asks the probe about %j, one row still being a list',
    async (probe) => {
      const batch = await payloadOf('Probe', { ...prepared, probe });
      expect(RowBatchSchema.parse(batch)).toEqual({ run_id: 'r-1', project: 'shop', items: probe, phase: 'main' });
    },
  );

  it.each([
    { name: 'goes on to the Map when all is done', from: 2, remaining: [], stop: null, to: 'EvaluateRows' },
    { name: 'asks the probe for the rows it handed back', from: 2, remaining: left, stop: null, to: 'Probe' },
    { name: 'aggregates when the run stops', from: 2, remaining: [], stop: down, to: 'AggregateRun' },
    {
      name: 'aggregates when the run stops with rows left',
      from: 1,
      remaining: left,
      stop: down,
      to: 'AggregateRun',
    },
    { name: 'fails when a whole Lambda did nothing', from: 1, remaining: left, stop: null, to: 'ProbeStuck' },
  ])('after the probe it $name', async ({ from, remaining, stop, to }) => {
    const probe = Array.from({ length: from }, (_, index) => ({ index, offset: index * 70 }));
    const output = await outputOf('Probe', { ...prepared, probe }, { ...report, remaining, stop });
    expect(await choose('Probe finished?', output)).toBe(to);
    expect(output).toMatchObject({ rows_key: prepared.rows_key, batch_size: 2, max_concurrency: 1 });
  });

  it.each([
    { name: 'starts with the probe', proceed: true, to: 'Probe' },
    { name: 'is done when the run was refused', proceed: false, to: 'Done' },
  ])('after preparing it $name', async ({ proceed, to }) => {
    expect(await choose('Proceed?', { ...prepared, proceed })).toBe(to);
  });

  const child = { BatchInput: { run_id: 'r-1', project: 'shop' }, Items: [{ index: 0, offset: 0 }, ...left] };

  it('a batch of the Map is a batch to evaluate-rows', async () => {
    expect(RowBatchSchema.parse(await payloadOf('EvaluateBatch', child))).toEqual({
      run_id: 'r-1',
      project: 'shop',
      items: child.Items,
      phase: 'main',
    });
  });

  it('a batch is asked again for what it handed back, and its counts add up', async () => {
    const first = await outputOf('EvaluateBatch', child, { ...report, done: 1, remaining: left });
    expect(await choose('Rows left?', first)).toBe('EvaluateBatch');
    expect(RowBatchSchema.parse(await payloadOf('EvaluateBatch', first))).toMatchObject({ items: left });
    const second = await outputOf('EvaluateBatch', first, { ...report, first_index: 1, done: 1, remaining: [] });
    expect(await choose('Rows left?', second)).toBe('BatchDone');
    expect(await evaluate(states.get('BatchDone')?.Output, { input: second })).toEqual({ done: 2 });
  });

  it('a batch that stops is not asked again', async () => {
    const output = await outputOf('EvaluateBatch', child, { ...report, stop: down, remaining: child.Items });
    expect(await choose('Rows left?', output)).toBe('BatchDone');
  });

  it('a batch that did nothing in a whole Lambda fails instead of going on for ever', async () => {
    const output = await outputOf('EvaluateBatch', child, { ...report, done: 0, remaining: child.Items });
    expect(await choose('Rows left?', output)).toBe('BatchStuck');
    expect(states.get('BatchStuck')).toMatchObject({ Type: 'Fail', Error: 'BatchStuckError' });
  });

  it('aggregate-run hears why the run stopped', async () => {
    const stopped = await outputOf('Probe', prepared, { ...report, stop: down });
    expect(AggregateInputSchema.parse(await payloadOf('AggregateRun', stopped))).toEqual({
      run_id: 'r-1',
      project: 'shop',
      stop: down,
      confirmed: false,
    });
  });

  it('aggregate-run hears of no stop after the Map', async () => {
    const output = await evaluate(map.Output, {
      input: prepared,
      result: { MapRunArn: 'arn', ResultWriterDetails: {} },
    });
    expect(AggregateInputSchema.parse(await payloadOf('AggregateRun', output))).toMatchObject({ stop: null });
  });

  const flipped = [
    { index: 3, offset: 210, targets: [1] },
    { index: 9, offset: 630, targets: [0, 1] },
  ];
  const undecided: AggregateReport = {
    run_id: 'r-1',
    project: 'shop',
    status: 'running',
    gate: 'pending',
    confirm: flipped,
  };

  it.each([
    { name: 'is done when nothing flipped', confirm: [], to: 'Done' },
    { name: 'tries one flipped row again', confirm: flipped.slice(1), to: 'ConfirmRows' },
    { name: 'tries all flipped rows again', confirm: flipped, to: 'ConfirmRows' },
  ])('after aggregating it $name', async ({ confirm, to }) => {
    const output = await outputOf('AggregateRun', {}, { ...undecided, confirm });
    expect(await choose('Rows to confirm?', output)).toBe(to);
    if (confirm.length === 0) return;
    const batch = { run_id: 'r-1', project: 'shop', phase: 'confirm', items: confirm };
    expect(RowBatchSchema.parse(await payloadOf('ConfirmRows', output))).toEqual(batch);
  });

  it.each([
    { name: 'aggregates again when all is done', remaining: [], stop: null, to: 'AggregateRun' },
    { name: 'asks again for what was handed back', remaining: flipped.slice(1), stop: null, to: 'ConfirmRows' },
    { name: 'aggregates when time or money ran out', remaining: flipped, stop: down, to: 'AggregateRun' },
    { name: 'fails when a whole Lambda did nothing', remaining: flipped, stop: null, to: 'ConfirmStuck' },
  ])('after confirming it $name', async ({ remaining, stop, to }) => {
    const output = await outputOf('ConfirmRows', undecided, { ...report, remaining, stop });
    expect(await choose('Confirming finished?', output)).toBe(to);
    if (to !== 'AggregateRun') return;
    const input = { run_id: 'r-1', project: 'shop', stop: null, confirmed: true };
    expect(AggregateInputSchema.parse(await payloadOf('AggregateRun', output))).toEqual(input);
  });

  it('keeps the most rows that are tried again below 256 KiB', () => {
    const confirm = Array.from({ length: 3_000 }, () => ({
      index: 9_999_999,
      offset: 9_999_999_999,
      targets: [0],
      blame_at: 1,
    }));
    expect(JSON.stringify({ ...undecided, confirm }).length).toBeLessThan(200 * 1024);
  });
});

describe('renderWorkflow', () => {
  it('names functions and bucket as asked', () => {
    const text = JSON.stringify(
      renderWorkflow({ ...LOCAL_WORKFLOW_NAMES, bucket: 'other', prepareRun: localArn('X') }),
    );
    expect(text).toContain('"Bucket":"other"');
    expect(text).toContain(localArn('X'));
  });
});

function localArn(name: string): string {
  const folder = name.replace(/[a-z](?=[A-Z])/g, '$&-').toLowerCase();
  return `arn:aws:lambda:us-east-1:000000000000:function:${folder}`;
}

/** Evaluates the expressions in a template, as Step Functions does; every one must give a value. */
async function evaluate(template: unknown, bindings: Record<string, unknown>): Promise<unknown> {
  if (typeof template === 'string') {
    const expression = expressionOf(template);
    if (expression === undefined) return template;
    const value: unknown = await jsonata(expression).evaluate({}, { states: bindings });
    if (value === undefined) throw new Error(`${template} gives nothing`);
    return JSON.parse(JSON.stringify(value));
  }
  if (template === null || typeof template !== 'object') return template;
  const entries = Object.entries(template).map(async ([key, value]) => [key, await evaluate(value, bindings)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function payloadOf(task: string, input: unknown): Promise<unknown> {
  const { Arguments } = states.get(task) as { Arguments: { Payload: string } };
  return evaluate(Arguments.Payload, { input });
}

async function outputOf(task: string, input: unknown, payload: BatchReport | AggregateReport): Promise<unknown> {
  return evaluate(states.get(task)?.Output, { input, result: { Payload: payload, StatusCode: 200 } });
}

async function choose(name: string, input: unknown): Promise<unknown> {
  const state = states.get(name) as { Choices: { Condition: string; Next: string }[]; Default: string };
  for (const choice of state.Choices) {
    const holds = await evaluate(choice.Condition, { input });
    if (typeof holds !== 'boolean') throw new Error(`${choice.Condition} is not a boolean`);
    if (holds) return choice.Next;
  }
  return state.Default;
}
