import aslService from 'amazon-states-language-service';
import aslValidator from 'asl-validator';
import jsonata from 'jsonata';

export type Asl = Record<string, unknown>;

export interface AslState {
  readonly name: string;
  readonly state: Asl;
}

/** Every state of a definition, those of item processors and branches included. */
export function allStates(definition: Asl): AslState[] {
  const states = Object.entries((definition.States ?? {}) as Record<string, Asl>);
  return states.flatMap(([name, state]) => {
    const nested = [state.ItemProcessor, ...((state.Branches as Asl[] | undefined) ?? [])].filter(Boolean) as Asl[];
    return [{ name, state }, ...nested.flatMap(allStates)];
  });
}

/** What asl-validator finds. */
export function findSchemaFaults(definition: Asl): string[] {
  const copy = structuredClone(definition); // the validator writes into what it is given
  return aslValidator(copy).errors.map((error) => `${error['Error code']}: ${error.Message}`);
}

/** What AWS's own language service finds; it knows other fields than asl-validator. */
export async function findServiceFaults(definition: Asl): Promise<string[]> {
  const service = aslService.getLanguageService({});
  const document = aslService.TextDocument.create('file:///w.asl.json', 'json', 1, JSON.stringify(definition, null, 1));
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  return found.map(({ message }) => (typeof message === 'string' ? message : message.value));
}

/** JSONata expressions that do not parse, and texts that only look like one. */
export function findExpressionFaults(definition: Asl): string[] {
  return texts(definition).flatMap((text) => {
    const body = expressionOf(text);
    if (body === undefined) return /\{%|%\}/.test(text) ? [`not a whole expression: ${text}`] : [];
    try {
      jsonata(body);
      return [];
    } catch (error) {
      return [`${text}: ${(error as Error).message}`];
    }
  });
}

/** The body of `{% … %}`, or undefined for other text. */
export function expressionOf(text: string): string | undefined {
  return /^\{%([\s\S]*)%\}$/.exec(text)?.[1]?.trim();
}

/** Faults that neither validator sees. */
export function findOwnFaults(definition: Asl): string[] {
  const faults: string[] = [];
  if (JSON.stringify(definition).includes('"$.')) faults.push('a JSONPath stands as a literal text in JSONata');
  for (const { name, state } of allStates(definition)) {
    if (state.Type === 'Map') faults.push(...mapFaults(state).map((fault) => `${name}: ${fault}`));
    if (state.Type === 'Task' && state.Output === undefined)
      faults.push(`${name}: passes its result on, not its input`);
    const retried = ((state.Retry as { ErrorEquals: string[] }[] | undefined) ?? []).map((retry) => retry.ErrorEquals);
    const all = retried.findIndex((errors) => errors.includes('States.ALL'));
    if (all !== -1 && all !== retried.length - 1) faults.push(`${name}: States.ALL is not the last retrier`);
  }
  return faults;
}

const READER_RESOURCES = ['arn:aws:states:::s3:getObject', 'arn:aws:states:::s3:listObjectsV2'];
const BATCHER_FIELDS = ['MaxItemsPerBatch', 'MaxInputBytesPerBatch', 'BatchInput'];

function mapFaults(state: Asl): string[] {
  const faults: string[] = [];
  const config = (state.ItemProcessor as Asl).ProcessorConfig as Asl | undefined;
  const reader = state.ItemReader as Asl | undefined;
  if (reader && config?.Mode !== 'DISTRIBUTED') faults.push('only a distributed Map has an ItemReader');
  if (reader && !READER_RESOURCES.includes(String(reader.Resource))) faults.push('unknown ItemReader resource');
  if (config?.Mode === 'DISTRIBUTED' && state.ResultWriter === undefined) faults.push('no ResultWriter');
  if (String(state.Label ?? '').length > 40) faults.push('Label is longer than 40 characters');
  const unknown = Object.keys((state.ItemBatcher as Asl | undefined) ?? {}).filter((f) => !BATCHER_FIELDS.includes(f));
  return unknown.length > 0 ? [...faults, `unknown ItemBatcher fields: ${unknown.join(', ')}`] : faults;
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(texts) : [];
}
