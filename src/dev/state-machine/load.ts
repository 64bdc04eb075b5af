import type * as z from 'zod';
import { AssayError, type Fault, formatFault } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import { checkState, checkTargets } from './checks.ts';
import {
  BranchSchema,
  LAMBDA_INVOKE,
  MachineSchema,
  type MapMode,
  ProcessorSchema,
  STATE_SCHEMAS,
  type State,
  type Workflow,
} from './definition.ts';
import { type Expressions, expressionSource, parseExpression } from './expression.ts';

/** The definition asks for something this interpreter does not do, or is wrong. Every fault is listed. */
export class StateMachineError extends AssayError {
  override readonly name = 'StateMachineError';
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super(faults.map(formatFault).join('\n'));
    this.faults = faults;
  }
}

/** A checked definition, its expressions parsed; shared by all its executions. */
export interface StateMachine {
  readonly arn: string;
  readonly workflow: Workflow;
  readonly expressions: Expressions;
  /** Limit of a whole execution. */
  readonly timeoutSeconds: number | undefined;
}

export interface LoadOptions {
  /** @default 'arn:aws:states:us-east-1:000000000000:stateMachine:local' */
  readonly arn?: string;
  /** Task resources that executions will get. @default lambda:invoke alone */
  readonly resources?: readonly string[];
}

/**
 * Checks a definition (an object, or its JSON text) in the JSONata form of the Amazon States Language. Throws
 * StateMachineError that names every state and field which is unknown here, so that nothing is silently left out.
 */
export function loadStateMachine(definition: unknown, options: LoadOptions = {}): StateMachine {
  const loader = new Loader(options.resources ?? [LAMBDA_INVOKE]);
  const machine = loader.machine(typeof definition === 'string' ? parseText(definition) : definition);
  if (machine === undefined || loader.faults.length > 0) throw new StateMachineError(loader.faults);
  return { arn: options.arn ?? 'arn:aws:states:us-east-1:000000000000:stateMachine:local', ...machine };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StateMachineError([{ message: `the definition is not JSON: ${(error as Error).message}` }]);
  }
}

type Language = 'JSONata' | 'JSONPath';
/** Fields that mean the same in both query languages. */
const NEUTRAL = new Set(['Type', 'Comment', 'QueryLanguage', 'Next', 'End', 'Error', 'Cause']);

class Loader {
  readonly faults: Fault[] = [];
  private readonly expressions = new Map<string, ReturnType<typeof parseExpression>>();
  private readonly names = new Set<string>();
  private readonly resources: readonly string[];

  constructor(resources: readonly string[]) {
    this.resources = resources;
  }

  machine(definition: unknown): Omit<StateMachine, 'arn'> | undefined {
    const machine = this.parse(MachineSchema, definition, '');
    if (machine === undefined) return undefined;
    const workflow = this.workflow(machine, '', machine.QueryLanguage ?? 'JSONPath');
    return { workflow, expressions: this.expressions, timeoutSeconds: machine.TimeoutSeconds };
  }

  private workflow(source: { StartAt: string; States: Record<string, unknown> }, path: string, language: Language) {
    const states = new Map<string, State>();
    for (const [name, raw] of Object.entries(source.States)) {
      const place = join(path, `States.${name}`);
      if (this.names.has(name))
        this.fault(place, 'the name of this state is taken: names are unique in the whole machine');
      this.names.add(name);
      const state = this.state(raw, place, language);
      if (state !== undefined) states.set(name, state);
    }
    const workflow: Workflow = { startAt: source.StartAt, states };
    checkTargets(workflow, Object.keys(source.States), (field, message) => this.fault(join(path, field), message));
    return workflow;
  }

  private state(raw: unknown, place: string, inherited: Language): State | undefined {
    const type = isJsonObject(raw) ? raw.Type : undefined;
    const schema =
      typeof type === 'string' && Object.hasOwn(STATE_SCHEMAS, type)
        ? STATE_SCHEMAS[type as keyof typeof STATE_SCHEMAS]
        : undefined;
    if (schema === undefined) {
      this.fault(
        join(place, 'Type'),
        `unknown type of state: ${JSON.stringify(type)}`,
        `one of ${Object.keys(STATE_SCHEMAS).join(', ')}`,
      );
      return undefined;
    }
    const language = this.language(raw as object, place, inherited);
    if (language === undefined) return undefined;
    const state = this.parse<z.infer<(typeof STATE_SCHEMAS)[keyof typeof STATE_SCHEMAS]>>(schema, raw, place);
    if (state === undefined) return undefined;
    for (const [field, value] of Object.entries(state)) {
      if (!NOT_EVALUATED.has(field)) this.collect(value, `${place}.${field}`);
    }
    checkState(state, this.resources, (field, message) => this.fault(join(place, field), message));
    if (state.Type === 'Parallel') {
      const branches = state.Branches.map((branch, index) =>
        this.branch(branch, `${place}.Branches[${index}]`, language),
      );
      return { ...state, branches: branches.filter((branch) => branch !== undefined) };
    }
    return state.Type === 'Map' ? this.map(state, place, language) : state;
  }

  /** JSONPath states may stay when nothing in them depends on the language. */
  private language(raw: object, place: string, inherited: Language): Language | undefined {
    const own = (raw as { QueryLanguage?: unknown }).QueryLanguage;
    const language = own === 'JSONata' || own === 'JSONPath' ? own : inherited;
    if (language === 'JSONata') return language;
    const dependent = Object.keys(raw).filter((field) => !NEUTRAL.has(field));
    const literal = !Object.values(raw).some((value) => expressionSource(value) !== undefined);
    if (dependent.length === 0 && literal) return language;
    const fields = dependent.length === 0 ? 'an expression' : dependent.join(', ');
    this.fault(place, `the state is in JSONPath (${fields})`, 'set QueryLanguage to JSONata');
    return undefined;
  }

  private branch(raw: unknown, place: string, language: Language): Workflow | undefined {
    const branch = this.parse(BranchSchema, raw, place);
    return branch && this.workflow(branch, place, language);
  }

  private map(state: z.infer<typeof STATE_SCHEMAS.Map>, place: string, language: Language): State | undefined {
    const path = `${place}.ItemProcessor`;
    const processor = this.parse(ProcessorSchema, state.ItemProcessor, path);
    if (processor === undefined) return undefined;
    const config = processor.ProcessorConfig ?? { Mode: 'INLINE' };
    const mode: MapMode = config.Mode === 'DISTRIBUTED' ? config.ExecutionType : 'INLINE';
    if (mode === 'INLINE') {
      for (const field of DISTRIBUTED_ONLY) {
        if (state[field] !== undefined)
          this.fault(`${place}.${field}`, 'only a Map in DISTRIBUTED mode has this field');
      }
    }
    return { ...state, mode, processor: this.workflow(processor, path, language) };
  }

  private parse<T>(schema: z.ZodType<T>, value: unknown, place: string): T | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const field = join(place, fieldPath(issue.path));
      if (issue.code === 'unrecognized_keys') {
        for (const key of issue.keys)
          this.fault(join(field, key), 'this field is not supported here', 'remove it: it would be ignored');
      } else {
        this.fault(field, issue.message);
      }
    }
    return undefined;
  }

  /** Parses every expression in the value. */
  private collect(value: unknown, place: string): void {
    const source = expressionSource(value);
    if (source !== undefined) {
      try {
        if (!this.expressions.has(source)) this.expressions.set(source, parseExpression(source));
      } catch (error) {
        this.fault(place, `${(error as Error).message} in the expression ${source}`);
      }
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.collect(item, `${place}[${index}]`);
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) this.collect(member, `${place}.${key}`);
    }
  }

  private fault(field: string, message: string, fix?: string): void {
    this.faults.push({ ...(field === '' ? {} : { field }), message, ...(fix === undefined ? {} : { fix }) });
  }
}

const DISTRIBUTED_ONLY = [
  'ItemReader',
  'ItemBatcher',
  'ResultWriter',
  'ToleratedFailureCount',
  'ToleratedFailurePercentage',
  'Label',
] as const;
/** Fields of a state that hold other states, which come by themselves, or are never evaluated. */
const NOT_EVALUATED = new Set(['ItemProcessor', 'Branches', 'Comment']);

function join(place: string, field: string): string {
  if (field === '') return place;
  return place === '' ? field : `${place}.${field}`;
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : join(text, String(part))),
    '',
  );
}
