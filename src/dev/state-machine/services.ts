import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { StateFailure } from './failure.ts';

/** What a Task is told besides its arguments. */
export interface TaskCall {
  readonly state: string;
  /** Name of the execution, or of the child of a distributed Map. */
  readonly execution: string;
  /** Aborted when the execution stops or the task times out; its answer is then no longer awaited. */
  readonly signal: AbortSignal;
}

/**
 * Runs one Task. Must not change its arguments. Throws StateFailure with the error name that Retry and Catch match;
 * anything else it throws fails the execution with States.Runtime, which nothing retries or catches.
 */
export type TaskResource = (args: JsonValue, call: TaskCall) => Promise<JsonValue>;

/** The two S3 calls of a distributed Map. Rejections become States.ItemReaderFailed and States.ResultWriterFailed. */
export interface ObjectStore {
  getObject(bucket: string, key: string): AsyncIterable<Uint8Array>;
  /** Stores the whole body; it arrives while the Map runs, so it can take as long as the Map. */
  putObject(bucket: string, key: string, body: AsyncIterable<Uint8Array>): Promise<void>;
}

export interface Services {
  /** Task resources by ARN, such as `arn:aws:states:::lambda:invoke`. */
  readonly tasks: Readonly<Record<string, TaskResource>>;
  /** Needed by ItemReader and ResultWriter. */
  readonly objects?: ObjectStore;
}

/** A function call as Lambda sees it: JSON text in, JSON text out. */
export interface LambdaRequest {
  readonly functionName: string;
  readonly payload: string;
  readonly signal: AbortSignal;
}
export interface LambdaReply {
  /** The result, or `{errorType, errorMessage, …}` when the function failed. */
  readonly payload: string;
  readonly failed: boolean;
}

/** `lambda:invoke` on top of whatever runs functions. The host throws StateFailure for faults of the service itself. */
export function lambdaInvoke(invoke: (request: LambdaRequest) => Promise<LambdaReply>): TaskResource {
  return async (args, call) => {
    const { functionName, payload } = lambdaArguments(args);
    const reply = await invoke({ functionName, payload, signal: call.signal });
    if (reply.failed) throw lambdaFailure(reply.payload);
    return {
      ExecutedVersion: '$LATEST',
      Payload: lambdaPayload(reply.payload),
      SdkHttpMetadata: { HttpStatusCode: 200 },
      StatusCode: 200,
    };
  };
}

function lambdaArguments(args: JsonValue): { functionName: string; payload: string } {
  const known: JsonObject = isJsonObject(args) ? args : {};
  const { FunctionName, Payload, ...rest } = known;
  if (typeof FunctionName !== 'string' || FunctionName === '' || Object.keys(rest).length > 0) {
    throw new StateFailure(
      'States.Runtime',
      `lambda:invoke takes FunctionName and Payload, not ${Object.keys(known).join(', ')}`,
    );
  }
  return { functionName: FunctionName, payload: JSON.stringify(Payload ?? {}) };
}

/** A function that returns nothing gives null. */
function lambdaPayload(payload: string): JsonValue {
  if (payload === '') return null;
  try {
    return JSON.parse(payload) as JsonValue;
  } catch {
    throw new StateFailure('States.Runtime', `the function returned no JSON: ${payload.slice(0, 200)}`);
  }
}

function lambdaFailure(payload: string): StateFailure {
  try {
    const { errorType } = JSON.parse(payload) as { errorType?: unknown };
    if (typeof errorType === 'string' && errorType !== '') return new StateFailure(errorType, payload);
  } catch {
    // Not JSON: told below, with the payload itself.
  }
  const cause = 'The cause could not be determined because Lambda did not return an error type. Returned payload: ';
  return new StateFailure('Lambda.Unknown', cause + payload);
}
