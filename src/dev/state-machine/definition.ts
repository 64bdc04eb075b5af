import * as z from 'zod';
import { JsonValueSchema } from '../../core/json.ts';
import { expressionSource } from './expression.ts';

/** The parts of the Amazon States Language that the interpreter runs. Every object is strict: nothing is ever ignored. */

export const LAMBDA_INVOKE = 'arn:aws:states:::lambda:invoke';
const S3_GET_OBJECT = 'arn:aws:states:::s3:getObject';
const S3_PUT_OBJECT = 'arn:aws:states:::s3:putObject';

const Expression = z.string().refine((text) => expressionSource(text) !== undefined, 'expected {% an expression %}');
const whole = (min: number, max?: number) => {
  const number = z.int().min(min);
  return z.union([max === undefined ? number : number.max(max), Expression], {
    error: `expected an integer of at least ${min}${max === undefined ? '' : ` and at most ${max}`}, or {% an expression %}`,
  });
};
const Template = JsonValueSchema;
const Variables = z.record(z.string(), JsonValueSchema);
const ErrorEquals = z.array(z.string().min(1)).min(1);

const Common = { Comment: z.string().optional(), QueryLanguage: z.enum(['JSONata', 'JSONPath']).optional() };
const Flow = { ...Common, Next: z.string().optional(), End: z.literal(true).optional() };
const Result = { Output: Template.optional(), Assign: Variables.optional() };

const RetrySchema = z.array(
  z.strictObject({
    Comment: z.string().optional(),
    ErrorEquals,
    IntervalSeconds: z.int().min(1).optional(),
    BackoffRate: z.number().min(1).optional(),
    MaxAttempts: z.int().min(0).optional(),
    MaxDelaySeconds: z.int().min(1).optional(),
    JitterStrategy: z.enum(['NONE', 'FULL']).optional(),
  }),
);
const CatchSchema = z.array(
  z.strictObject({ Comment: z.string().optional(), ErrorEquals, Next: z.string(), ...Result }),
);
const Recovery = { Retry: RetrySchema.optional(), Catch: CatchSchema.optional() };
export type Retrier = z.infer<typeof RetrySchema>[number];
export type Catcher = z.infer<typeof CatchSchema>[number];

const PassSchema = z.strictObject({ Type: z.literal('Pass'), ...Flow, ...Result });
const SucceedSchema = z.strictObject({ Type: z.literal('Succeed'), ...Common, Output: Template.optional() });
const FailSchema = z.strictObject({
  Type: z.literal('Fail'),
  ...Common,
  Error: z.string().optional(),
  Cause: z.string().optional(),
});
const WaitSchema = z.strictObject({
  Type: z.literal('Wait'),
  ...Flow,
  ...Result,
  Seconds: whole(0, 99_999_999).optional(),
  Timestamp: z.string().optional(),
});
const ChoiceSchema = z.strictObject({
  Type: z.literal('Choice'),
  ...Common,
  Choices: z
    .array(
      z.strictObject({
        Comment: z.string().optional(),
        Condition: z.union([z.boolean(), Expression], { error: 'expected true, false or {% an expression %}' }),
        Next: z.string(),
        ...Result,
      }),
    )
    .min(1),
  Default: z.string().optional(),
  ...Result,
});
const TaskSchema = z.strictObject({
  Type: z.literal('Task'),
  ...Flow,
  ...Result,
  ...Recovery,
  Resource: z.string(),
  Arguments: Template.optional(),
  TimeoutSeconds: whole(1, 99_999_999).optional(),
});

const ParallelSchema = z.strictObject({
  Type: z.literal('Parallel'),
  ...Flow,
  ...Result,
  ...Recovery,
  Arguments: Template.optional(),
  Branches: z.array(z.unknown()).min(1),
});

const ItemReaderSchema = z.strictObject({
  Resource: z.literal(S3_GET_OBJECT),
  Arguments: z.strictObject({ Bucket: z.string().min(1), Key: z.string().min(1) }),
  ReaderConfig: z.strictObject({
    InputType: z.enum(['JSONL', 'JSON']),
    // Zero reads everything, as it does in the service; a negative number fails the Map.
    MaxItems: z.union([z.int(), Expression], { error: 'expected an integer or {% an expression %}' }).optional(),
  }),
});
const ItemBatcherSchema = z.strictObject({
  MaxItemsPerBatch: whole(1).optional(),
  MaxInputBytesPerBatch: whole(1, 262_144).optional(),
  BatchInput: Template.optional(),
});
const ResultWriterSchema = z.strictObject({
  Resource: z.literal(S3_PUT_OBJECT).optional(),
  Arguments: z.strictObject({ Bucket: z.string().min(1), Prefix: z.string().optional() }).optional(),
  WriterConfig: z
    .strictObject({ Transformation: z.enum(['NONE', 'COMPACT', 'FLATTEN']), OutputType: z.enum(['JSON', 'JSONL']) })
    .optional(),
});
export type ItemReader = z.infer<typeof ItemReaderSchema>;
export type ResultWriter = z.infer<typeof ResultWriterSchema>;

const MapSchema = z.strictObject({
  Type: z.literal('Map'),
  ...Flow,
  ...Result,
  ...Recovery,
  Items: z
    .union([z.array(JsonValueSchema), Expression], { error: 'expected an array or {% an expression %}' })
    .optional(),
  ItemSelector: Template.optional(),
  ItemProcessor: z.unknown(),
  MaxConcurrency: whole(0).optional(),
  ItemReader: ItemReaderSchema.optional(),
  ItemBatcher: ItemBatcherSchema.optional(),
  ResultWriter: ResultWriterSchema.optional(),
  ToleratedFailureCount: whole(0).optional(),
  ToleratedFailurePercentage: z
    .union([z.number().min(0).max(100), Expression], {
      error: 'expected a number from 0 to 100, or {% an expression %}',
    })
    .optional(),
  Label: z
    .string()
    .regex(
      /^[^\s?*<>{}[\]"#%\\^|~`$&,;:/]{1,40}$/,
      'expected at most 40 characters, without blanks and special characters',
    )
    .optional(),
});

/** The schema of each type of state. */
export const STATE_SCHEMAS = {
  Pass: PassSchema,
  Task: TaskSchema,
  Choice: ChoiceSchema,
  Wait: WaitSchema,
  Succeed: SucceedSchema,
  Fail: FailSchema,
  Parallel: ParallelSchema,
  Map: MapSchema,
} as const;

const States = z.record(z.string().min(1).max(80), z.unknown());

export const MachineSchema = z.strictObject({
  Comment: z.string().optional(),
  Version: z.literal('1.0').optional(),
  QueryLanguage: z.enum(['JSONata', 'JSONPath']).optional(),
  StartAt: z.string(),
  States,
  TimeoutSeconds: z.int().min(1).max(99_999_999).optional(),
});
export const BranchSchema = z.strictObject({ Comment: z.string().optional(), StartAt: z.string(), States });
export const ProcessorSchema = BranchSchema.extend({
  ProcessorConfig: z
    .discriminatedUnion('Mode', [
      z.strictObject({ Mode: z.literal('INLINE') }),
      z.strictObject({ Mode: z.literal('DISTRIBUTED'), ExecutionType: z.enum(['STANDARD', 'EXPRESS']) }),
    ])
    .optional(),
});

/** States and where they start: the machine itself, a branch, or what a Map runs for every item. */
export interface Workflow {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
}
/** `STANDARD` and `EXPRESS` are distributed: each item, or batch, gets an execution of its own. */
export type MapMode = 'INLINE' | 'STANDARD' | 'EXPRESS';

type PassState = z.infer<typeof PassSchema>;
export type TaskState = z.infer<typeof TaskSchema>;
export type ChoiceState = z.infer<typeof ChoiceSchema>;
export type WaitState = z.infer<typeof WaitSchema>;
type SucceedState = z.infer<typeof SucceedSchema>;
export type FailState = z.infer<typeof FailSchema>;
export type ParallelState = z.infer<typeof ParallelSchema> & { readonly branches: readonly Workflow[] };
export type MapState = z.infer<typeof MapSchema> & { readonly processor: Workflow; readonly mode: MapMode };
export type State =
  | PassState
  | TaskState
  | ChoiceState
  | WaitState
  | SucceedState
  | FailState
  | ParallelState
  | MapState;
