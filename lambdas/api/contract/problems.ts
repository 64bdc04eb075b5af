import { STATUS_CODES } from 'node:http';
import { type Operation, onlyReads, type Route } from '../../routes.ts';
import type { OperationContract } from './contract.ts';

type Json = Record<string, unknown>;

/** Every `code` of a problem that a call of its own making can meet, and its status. The codes are stable. */
const STATUS_OF = {
  'not-json': 400,
  'invalid-body': 400,
  'invalid-query': 400,
  'invalid-cursor': 400,
  'invalid-name': 400,
  'invalid-key': 400,
  'damaged-form': 400,
  unauthorized: 401,
  'read-only': 403,
  'not-allowed': 403,
  'not-found': 404,
  'no-report': 404,
  'project-exists': 409,
  'eval-exists': 409,
  'eval-busy': 409,
  'delivery-conflict': 409,
  'run-finished': 409,
  'run-not-finished': 409,
  'run-not-passed': 409,
  'run-without-results': 409,
  'run-too-large': 409,
  'baseline-gone': 409,
  'link-expired': 410,
  'too-large': 413,
  'not-multipart': 415,
  'invalid-config': 422,
  'invalid-dataset': 422,
  'nothing-to-run': 422,
} as const;
export type ProblemCode = keyof typeof STATUS_OF;

/** What follows from neither the path nor the query, body and proof of a call. */
const FURTHER: Readonly<Partial<Record<Operation, readonly ProblemCode[]>>> = {
  startGateRun: ['invalid-key', 'delivery-conflict', 'nothing-to-run'],
  startRun: ['invalid-key', 'delivery-conflict', 'nothing-to-run'],
  createProject: ['not-allowed', 'project-exists'],
  createToken: ['not-allowed', 'invalid-config'],
  listTokens: ['not-allowed'],
  revokeToken: ['not-allowed'],
  rotateLinks: ['not-allowed'],
  putDataset: ['invalid-name', 'invalid-dataset'],
  openUpload: ['invalid-name', 'invalid-dataset'],
  completeUpload: ['invalid-dataset'],
  createEval: ['invalid-config', 'eval-exists', 'eval-busy'],
  putEval: ['invalid-config', 'eval-busy'],
  setEvalState: ['eval-busy'],
  promoteBaseline: ['run-not-finished', 'run-not-passed', 'run-without-results'],
  compareRuns: ['run-not-finished', 'run-without-results', 'run-too-large'],
  decideRun: ['invalid-config', 'run-not-finished', 'run-without-results', 'baseline-gone', 'too-large'],
  cancelRun: ['run-finished'],
  readReport: ['no-report'],
  readJUnit: ['no-report'],
  openReportLink: ['no-report', 'link-expired'],
  openJUnitLink: ['no-report', 'link-expired'],
};

/** The problems of one call by status, each with its codes. What breaks on our side (5xx) is in `default`. */
export function problemsOf(route: Route & { readonly operation: Operation }, contract: OperationContract) {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of new Set([...commonProblems(route, contract), ...(FURTHER[route.operation] ?? [])])) {
    byStatus.set(STATUS_OF[code], [...(byStatus.get(STATUS_OF[code]) ?? []), code]);
  }
  return byStatus;
}

function commonProblems(route: Route, { query, body }: OperationContract): ProblemCode[] {
  const codes: ProblemCode[] = [];
  if (route.auth === 'management' || route.auth === 'webhook') codes.push('unauthorized');
  if (route.auth === 'management' && !onlyReads(route)) codes.push('read-only');
  if (route.path.includes('{')) codes.push('not-found');
  if (query !== undefined && route.auth !== 'link') codes.push('invalid-query');
  if (query?.includes('cursor')) codes.push('invalid-cursor');
  if (body?.isForm === true) codes.push('damaged-form', 'not-multipart', 'invalid-body', 'too-large');
  else if (body !== undefined) codes.push('not-json', 'invalid-body', 'too-large');
  return codes;
}

/** Answers that calls share, named once and referred to. */
export class ProblemAnswers {
  readonly components: Json = {};

  refTo(status: number, codes: readonly ProblemCode[], problem: Json): Json {
    const name = [...codes].sort().join('_');
    this.components[name] = {
      description: STATUS_CODES[status] ?? '',
      content: {
        'application/problem+json': {
          schema: {
            allOf: [problem, { properties: { status: { const: status }, code: { enum: [...codes].sort() } } }],
          },
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }
}
