import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stepFunctionsHandle } from '../../../src/adapters/aws/clients.ts';
import { StepFunctionsWorkflow } from '../../../src/adapters/aws/step-functions-workflow.ts';
import { WorkflowError } from '../../../src/core/errors.ts';
import { RUN_ID } from '../../contracts/samples.ts';
import { JsonService } from './json-service.ts';
import { local } from './local-cloud.ts';

const MACHINE = 'arn:aws:states:eu-west-1:123456789012:stateMachine:assay-run';
const EXECUTION = `arn:aws:states:eu-west-1:123456789012:execution:assay-run:${RUN_ID}`;
const INPUT = { run_id: RUN_ID, project: 'shop' };

describe('StepFunctionsWorkflow', () => {
  let service: JsonService;
  let workflow: StepFunctionsWorkflow;
  beforeEach(async () => {
    service = new JsonService();
    const stepFunctions = stepFunctionsHandle({ ...local(await service.start()), maxAttempts: 1 });
    workflow = new StepFunctionsWorkflow({ stateMachineArn: MACHINE, stepFunctions });
  });
  afterEach(() => service.stop());

  it('starts an execution that has the run’s id as its name', async () => {
    service.answer = () => ({ body: { executionArn: EXECUTION, startDate: 1 } });
    expect(await workflow.start(RUN_ID, INPUT)).toEqual({ execution: EXECUTION });
    expect(service.calls[0]?.input).toMatchObject({ stateMachineArn: MACHINE, name: RUN_ID });
  });

  it('sends the same bytes for the same run, whatever the order of keys', async () => {
    service.answer = () => ({ body: { executionArn: EXECUTION, startDate: 1 } });
    await workflow.start(RUN_ID, INPUT);
    await workflow.start(RUN_ID, { project: 'shop', run_id: RUN_ID });
    expect(service.calls[0]?.input.input).toBe(`{"project":"shop","run_id":"${RUN_ID}"}`);
    expect(service.calls[1]?.input.input).toBe(service.calls[0]?.input.input);
  });

  it('gives the same execution when its name is taken, running or ended', async () => {
    service.answer = () => ({ error: 'ExecutionAlreadyExists' });
    expect(await workflow.start(RUN_ID, INPUT)).toEqual({ execution: EXECUTION });
  });

  it('refuses a name that no execution may have', async () => {
    for (const name of ['', 'a b', 'a/b', 'é', 'x'.repeat(81)]) {
      await expect(workflow.start(name, INPUT)).rejects.toThrow(TypeError);
    }
    expect(service.calls).toEqual([]);
  });

  it.each([
    ['RUNNING', 'running'],
    ['PENDING_REDRIVE', 'running'],
    ['SUCCEEDED', 'succeeded'],
    ['FAILED', 'failed'],
    ['TIMED_OUT', 'timed_out'],
    ['ABORTED', 'aborted'],
    ['SOMETHING_NEW', 'unknown'],
  ])('reads %s as %s', async (status, expected) => {
    service.answer = () => ({ body: { executionArn: EXECUTION, status, startDate: 1 } });
    expect(await workflow.status(RUN_ID)).toBe(expected);
    expect(service.calls[0]?.input).toEqual({ executionArn: EXECUTION });
  });

  it('knows nothing of an execution that does not exist, and stops none', async () => {
    service.answer = () => ({ error: 'ExecutionDoesNotExist' });
    expect(await workflow.status(EXECUTION)).toBe('unknown');
    await workflow.stop(EXECUTION, 'cancelled');
  });

  it('stops an execution with a cause of any length', async () => {
    service.answer = () => ({ body: { stopDate: 1 } });
    await workflow.stop(EXECUTION, 'x'.repeat(100_000));
    expect(String(service.calls[0]?.input.cause).length).toBeLessThanOrEqual(32_768);
  });

  it('names what failed otherwise', async () => {
    service.answer = () => ({ error: 'StateMachineDoesNotExist' });
    await expect(workflow.start(RUN_ID, INPUT)).rejects.toThrow(WorkflowError);
    await expect(workflow.start(RUN_ID, INPUT)).rejects.toThrow('StartExecution: StateMachineDoesNotExist');
  });
});
