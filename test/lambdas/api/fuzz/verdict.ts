import { PRIVATE } from '../../../../lambdas/shared/http-response.ts';
import type { Answer } from '../api.ts';
import { type Described, faultsOf, strangersIn, toldAnswer } from './described.ts';
import type { FuzzRequest } from './requests.ts';
import { SENTINEL, type World } from './world.ts';

/** Traces of the inside: stacks, paths of code, names and words of AWS, names of our own and foreign errors. */
const INSIDE = [
  /\bat [\w.<>]+ \(/,
  /\bnode_modules\b|node:internal|file:\/\//,
  /\/(work|tmp|var|home|usr|opt)\/\w+/,
  /\.(ts|js|mjs):\d+/,
  /\barn:aws/i,
  /dynamo|\bs3:\/\/|amazonaws|secrets ?manager|step ?functions/i,
  /_system\b|\bpk\b|\bsk\b|assay-test/,
  /\b(Type|Range|Syntax|Reference|Zod|Storage|Workflow|Assay|Http)\w*(Error|Exception)\b/,
  /ValidationException|ResourceNotFound|ConditionalCheck|ProvisionedThroughput|NoSuchKey|AccessDenied/,
  /Cannot read propert|is not a function|Unexpected token|in JSON at position/,
];

/** What is wrong with an answer, whatever was asked; empty: nothing. */
export function faultsOfAnswer(operation: Described, request: FuzzRequest, answer: Answer, world: World): string[] {
  // The document is the same in every account, and it speaks of AWS.
  const leaks = operation.operationId === 'readOpenApi' ? [] : leaksOf(request, answer, world);
  return [...shapeFaults(operation, answer), ...leaks];
}

function shapeFaults(operation: Described, { status, headers, text }: Answer): string[] {
  if (status >= 500) return [`answers ${status}`];
  const told = toldAnswer(operation, status);
  if (told === null) return [`answers ${status}, of which the document knows nothing`];
  // Files of the console are the same for everybody and may be kept.
  const isFile = operation.operationId.startsWith('readConsole') && status < 400;
  const wanted = isFile ? { 'x-content-type-options': 'nosniff' } : PRIVATE;
  const faults = Object.entries(wanted)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name]) => `lacks the header ${name}`);
  const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
  const schema = told.content?.[type]?.schema;
  if (schema === undefined) {
    const isJson = /json$/.test(type);
    return isJson || told.content !== undefined
      ? [...faults, `answers ${type} where the document tells of none`]
      : faults;
  }
  const body = JSON.parse(text);
  const untold =
    status < 400 ? strangersIn(schema, body).map((path) => `tells ${path}, which the document does not`) : [];
  const wrong = faultsOf(schema, body).map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
  return [...faults, ...untold, ...wrong];
}

function leaksOf({ sent }: FuzzRequest, { headers, text }: Answer, { secrets }: World): string[] {
  const said = `${text}\n${Object.values(headers).join('\n')}`;
  const inside = INSIDE.flatMap((pattern) => pattern.exec(said)?.[0] ?? []).filter((word) => !sent.includes(word));
  const told = secrets.filter((secret) => said.includes(secret) && !sent.includes(secret));
  return [
    ...inside.map((word) => `tells of the inside: ${word}`),
    ...told.map((secret) => `tells the secret ${secret}`),
  ];
}

export function holdsBank({ headers, text }: Answer): boolean {
  return `${text}\n${JSON.stringify(headers)}`.includes(SENTINEL);
}
