import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { JsonObjectSchema } from '../../../src/core/json.ts';
import { EvalFileSchema } from '../../../src/core/schemas/eval.ts';
import { BedrockJudgeSchema } from '../../../src/core/schemas/judge-config.ts';
import { DatasetVersionSchema, ProjectSchema } from '../../../src/core/schemas/registry.ts';
import { ScoreSchema } from '../../../src/core/schemas/score.ts';
import { DecisionSchema, RunStatusSchema } from '../../../src/core/schemas/summary.ts';
import { TypedHttpTargetSchema } from '../../../src/core/schemas/target-config.ts';
import { onlyReads, ROUTES, type Route } from '../../routes.ts';
import { QUERY_COUNTS } from '../parameters.ts';
import { CONTRACT, type OperationContract, type QueryName } from './contract.ts';
import { ProblemAnswers, problemsOf } from './problems.ts';
import * as views from './views.ts';

type Json = Record<string, unknown>;

const TITLE = 'Assay';
const PROBLEM_REF = { $ref: '#/components/schemas/Problem' };
const WEBHOOK_SECURITY = [{ webhookSecret: [] }, { webhookSignature: [], webhookTimestamp: [] }];
const SECURITY: Readonly<Record<Route['auth'], readonly Json[]>> = {
  none: [],
  link: [],
  webhook: WEBHOOK_SECURITY,
  management: [{ token: [] }],
};

const INPUTS = { EvalConfiguration: EvalFileSchema };
const INNER_OUTPUTS = {
  Project: ProjectSchema,
  DatasetVersion: DatasetVersionSchema,
  StoredEvalConfiguration: EvalFileSchema,
  Decision: DecisionSchema,
  RunStatus: RunStatusSchema,
  Score: ScoreSchema,
};
/** `ProjectViewSchema` is called ProjectView. */
const OUTPUTS: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  Object.entries(views)
    .map(([name, schema]): [string, z.ZodType] => [name.replace(/Schema$/, ''), schema])
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** The API as OpenAPI 3.1: routes from the route table, bodies from the schemas that the handlers parse with. */
export function makeOpenApi(): Json {
  const inputs = componentsOf('input');
  const outputs = componentsOf('output');
  const problems = new ProblemAnswers();
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, inputs.refs, outputs.refs, problems),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version: '1',
      description:
        'LLM evals as a release gate. Errors are problem JSON (RFC 9457) with a stable `code`. On a stage with `api.auth: iam` management calls are signed with AWS credentials instead of a token.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { ...inputs.schemas, ...outputs.schemas },
      responses: problems.components,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        webhookSecret: { type: 'apiKey', in: 'header', name: 'X-Webhook-Secret' },
        webhookSignature: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Assay-Signature',
          description: 'sha256=<hex HMAC(secret, timestamp + "." + raw body)>, at most 300 s old',
        },
        webhookTimestamp: { type: 'apiKey', in: 'header', name: 'X-Assay-Timestamp' },
      },
    },
  };
}

export function renderOpenApi(): string {
  return `${JSON.stringify(makeOpenApi(), null, 2)}\n`;
}

type Refs = ReadonlyMap<z.ZodType, Json>;

function operationOf(route: (typeof ROUTES)[number], inputs: Refs, outputs: Refs, problems: ProblemAnswers): Json {
  const contract: OperationContract = CONTRACT[route.operation];
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const parameters = [...inPath, ...(contract.query ?? []).map(queryParameter)];
  return {
    operationId: route.operation,
    summary: contract.summary,
    tags: [tagOf(route.path)],
    security: SECURITY[route.auth],
    // What a token must be allowed.
    ...(route.auth === 'management' ? { 'x-assay-access': onlyReads(route) ? 'read' : 'write' } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(contract.body === undefined ? {} : { requestBody: requestBody(contract.body, inputs) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(contract.answers).map(([status, schema]) => [status, answer(status, schema, outputs)]),
      ),
      ...Object.fromEntries(
        [...problemsOf(route, contract)].map(([status, codes]) => [status, problems.refTo(status, codes, PROBLEM_REF)]),
      ),
      default: {
        description: 'What went wrong on our side',
        content: { 'application/problem+json': { schema: PROBLEM_REF } },
      },
    },
  };
}

function tagOf(path: string): string {
  if (path.includes('/results')) return 'runs';
  return /^\/api\/(\w+)/.exec(path)?.[1] ?? 'api';
}

function queryParameter(name: QueryName): Json {
  if (name === 'expires' || name === 'signature' || name === 'row_id')
    return { name, in: 'query', required: true, schema: { type: 'string' } };
  const schema =
    name === 'cursor'
      ? { type: 'string' }
      : name === 'failed_only' || name === 'short'
        ? { type: 'boolean', default: false }
        : name === 'index'
          ? { type: 'integer', minimum: 0 }
          : countSchema(QUERY_COUNTS[name]);
  return { name, in: 'query', required: false, schema };
}

function countSchema(range: { readonly default: number; readonly max: number }): Json {
  return {
    type: 'integer',
    minimum: 1,
    maximum: range.max,
    ...(range.default === 0 ? {} : { default: range.default }),
  };
}

function requestBody({ schema, example, optional, isForm }: NonNullable<OperationContract['body']>, refs: Refs): Json {
  const type = isForm === true ? 'multipart/form-data' : 'application/json';
  return { required: optional !== true, content: { [type]: { schema: refs.get(schema) ?? inlined(schema), example } } };
}

function answer(status: string, schema: z.ZodType | null, refs: Refs): Json {
  const description = STATUS_CODES[status] ?? status;
  if (schema === null) return { description };
  return { description, content: { 'application/json': { schema: refs.get(schema) ?? {} } } };
}

function inlined(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return json;
}

/** Schemas that the document names once and refers to, by how they are used. */
function componentsOf(io: 'input' | 'output'): { refs: ReadonlyMap<z.ZodType, Json>; schemas: Json } {
  const registry = z.registry<{ id: string }>();
  const refs = new Map<z.ZodType, Json>();
  for (const [id, schema] of Object.entries(io === 'input' ? INPUTS : { ...INNER_OUTPUTS, ...OUTPUTS })) {
    registry.add(schema, { id });
    refs.set(schema, { $ref: uriOf(id) });
  }
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: uriOf,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override({ zodSchema, jsonSchema }) {
      // Absent, the type is http (a target) or bedrock (a judge).
      if (io === 'input' && (zodSchema === TypedHttpTargetSchema || zodSchema === BedrockJudgeSchema)) {
        jsonSchema.required = jsonSchema.required?.filter((key) => key !== 'type');
      }
      if (zodSchema === JsonObjectSchema) jsonSchema.type = 'object';
      // What the API sends may grow: readers pass over members they do not know.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  const plain = Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]);
  return { refs, schemas: Object.fromEntries(plain) };
}

const uriOf = (id: string): string => `#/components/schemas/${id}`;
