import type * as z from 'zod';
import { isJsonObject } from '../../core/json.ts';
import {
  type Catcher,
  LAMBDA_INVOKE,
  type MapState,
  type Retrier,
  type STATE_SCHEMAS,
  type State,
  type Workflow,
} from './definition.ts';

type Report = (field: string, message: string) => void;
type ParsedState = z.infer<(typeof STATE_SCHEMAS)[keyof typeof STATE_SCHEMAS]>;

/** Every way out of a state leads to a state of the same workflow. */
export function checkTargets(workflow: Workflow, names: readonly string[], report: Report): void {
  const known = new Set(names);
  const target = (field: string, name: string | undefined) => {
    if (name !== undefined && !known.has(name)) report(field, `there is no state "${name}" beside this one`);
  };
  target('StartAt', workflow.startAt);
  for (const [name, state] of workflow.states) {
    const place = `States.${name}`;
    if (state.Type === 'Choice') {
      target(`${place}.Default`, state.Default);
      for (const [index, rule] of state.Choices.entries()) target(`${place}.Choices[${index}].Next`, rule.Next);
    } else if (state.Type !== 'Succeed' && state.Type !== 'Fail') {
      target(`${place}.Next`, state.Next);
      if ((state.Next === undefined) === (state.End === undefined)) report(place, 'a state needs either Next or End');
    }
    for (const [index, catcher] of catchers(state).entries()) target(`${place}.Catch[${index}].Next`, catcher.Next);
  }
}

/** What a schema cannot say about one state. */
export function checkState(state: ParsedState, resources: readonly string[], report: Report): void {
  if ('Assign' in state) checkVariables(state.Assign, 'Assign', report);
  if (state.Type === 'Choice') {
    for (const [index, rule] of state.Choices.entries())
      checkVariables(rule.Assign, `Choices[${index}].Assign`, report);
  }
  if (state.Type === 'Wait' && (state.Seconds === undefined) === (state.Timestamp === undefined)) {
    report('Seconds', 'a Wait needs either Seconds or Timestamp');
  }
  if (state.Type === 'Task') checkTask(state.Resource, state.Arguments, resources, report);
  if (state.Type === 'Map') checkMap(state, report);
  if (state.Type === 'Task' || state.Type === 'Map' || state.Type === 'Parallel') {
    checkErrorNames(state.Retry ?? [], 'Retry', report);
    checkErrorNames(state.Catch ?? [], 'Catch', report);
    for (const [index, catcher] of (state.Catch ?? []).entries())
      checkVariables(catcher.Assign, `Catch[${index}].Assign`, report);
  }
}

function catchers(state: State): readonly Catcher[] {
  return 'Catch' in state ? (state.Catch ?? []) : [];
}

function checkVariables(assign: Record<string, unknown> | undefined, field: string, report: Report): void {
  for (const name of Object.keys(assign ?? {})) {
    if (!/^[\p{ID_Start}_][\p{ID_Continue}]{0,79}$/u.test(name))
      report(`${field}.${name}`, 'this is no name for a variable');
    if (name === 'states') report(`${field}.${name}`, 'the name "states" is reserved');
  }
}

const LAMBDA_ARGUMENTS = new Set(['FunctionName', 'Payload']);

function checkTask(resource: string, args: unknown, resources: readonly string[], report: Report): void {
  if (!resources.includes(resource))
    report('Resource', `${resource} is not supported here; known: ${resources.join(', ')}`);
  if (resource !== LAMBDA_INVOKE) return;
  if (args === undefined) report('Arguments', 'lambda:invoke needs FunctionName');
  if (!isJsonObject(args)) return;
  for (const key of Object.keys(args)) {
    if (!LAMBDA_ARGUMENTS.has(key)) report(`Arguments.${key}`, 'this argument of lambda:invoke is not supported here');
  }
  if (args.FunctionName === undefined) report('Arguments.FunctionName', 'lambda:invoke needs FunctionName');
}

function checkMap(state: z.infer<typeof STATE_SCHEMAS.Map> | MapState, report: Report): void {
  const { ItemBatcher: batcher, ResultWriter: writer } = state;
  if (state.Items !== undefined && state.ItemReader !== undefined)
    report('Items', 'a Map takes either Items or an ItemReader');
  if (batcher !== undefined && batcher.MaxItemsPerBatch === undefined && batcher.MaxInputBytesPerBatch === undefined) {
    report('ItemBatcher', 'give MaxItemsPerBatch, MaxInputBytesPerBatch or both');
  }
  if (writer === undefined) return;
  if ((writer.Resource === undefined) !== (writer.Arguments === undefined)) {
    report('ResultWriter', 'Resource and Arguments go together');
  } else if (writer.Resource === undefined) {
    const config = writer.WriterConfig;
    if (config === undefined) report('ResultWriter', 'give Resource and Arguments, WriterConfig or all three');
    else if (config.OutputType !== 'JSON' || config.Transformation === 'NONE') {
      report('ResultWriter.WriterConfig', 'without Resource only COMPACT or FLATTEN with JSON is supported here');
    }
  }
}

function checkErrorNames(rules: readonly (Retrier | Catcher)[], field: string, report: Report): void {
  for (const [index, rule] of rules.entries()) {
    if (!rule.ErrorEquals.includes('States.ALL')) continue;
    if (rule.ErrorEquals.length > 1) report(`${field}[${index}].ErrorEquals`, 'States.ALL must stand alone');
    if (index < rules.length - 1) report(`${field}[${index}].ErrorEquals`, 'States.ALL must come last');
  }
}
