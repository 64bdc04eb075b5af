import * as z from 'zod';
import { HttpProblem } from './http-problem.ts';
import { httpEventOf } from './rest-event.ts';

const TextRecord = z.record(z.string(), z.string().optional().catch(undefined));

/** The event of an HTTP API, format 2.0; only what is read here, and nothing of it trusted. */
const HttpEventSchema = z.object({
  routeKey: z.string(),
  rawPath: z.string().default(''),
  rawQueryString: z.string().default(''),
  headers: TextRecord.default({}),
  pathParameters: TextRecord.nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().default(false),
  requestContext: z.object({ authorizer: z.object({ iam: z.unknown() }).nullish().catch(null) }).nullish(),
});

const IamSchema = z.object({ userArn: z.string().min(1).max(2_048) });

export interface HttpRequest {
  /** `POST /api/projects/{id}` */
  readonly routeKey: string;
  /** As it was asked for; empty where the gateway does not tell. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Null when there is no such header; `name` in lower case. */
  header(name: string): string | null;
  /** The bytes as they were sent: signatures are over these. */
  readonly body: Buffer;
  /** API Gateway checked the caller's AWS signature. */
  readonly signedByIam: boolean;
  /** ARN of who signed it; null where the gateway does not tell. */
  readonly iamUser: string | null;
}

/** An event of an HTTP API (format 2.0) or of a REST API (1.0). Throws HttpProblem when it is no request. */
export function readRequest(event: unknown): HttpRequest {
  const parsed = HttpEventSchema.safeParse(httpEventOf(event) ?? event);
  if (!parsed.success) throw new HttpProblem(400, 'bad-request', 'this is no HTTP request');
  const { routeKey, rawPath, rawQueryString, headers, pathParameters, body, isBase64Encoded, requestContext } =
    parsed.data;
  // Gateways differ in how they spell the names.
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    routeKey,
    path: rawPath,
    parameters: Object.fromEntries(
      Object.entries(pathParameters ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    query: new URLSearchParams(rawQueryString),
    header: (name) => byName.get(name) ?? null,
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
    signedByIam: requestContext?.authorizer?.iam != null,
    iamUser: IamSchema.safeParse(requestContext?.authorizer?.iam).data?.userArn ?? null,
  };
}
