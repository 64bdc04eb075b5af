import * as z from 'zod';

const Texts = z.record(z.string(), z.string().optional().catch(undefined)).nullish().catch(null);
const ListsOfTexts = z.record(z.string(), z.array(z.string()).optional().catch(undefined)).nullish().catch(null);

/** The event of a REST API (format 1.0); only what is read here, and nothing of it trusted. */
const RestEventSchema = z.object({
  resource: z.string(),
  httpMethod: z.string(),
  path: z.string().default(''),
  headers: Texts,
  multiValueHeaders: ListsOfTexts,
  queryStringParameters: Texts,
  multiValueQueryStringParameters: ListsOfTexts,
  pathParameters: Texts,
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().default(false),
  requestContext: z
    .object({
      path: z.string().optional(),
      identity: z.object({ userArn: z.string().nullish() }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});
type RestEvent = z.infer<typeof RestEventSchema>;

/**
 * The event of a REST API as an HTTP API would have sent it (format 2.0), so that one handler serves both. Null for what is none:
 * format 2.0 itself, or no request at all.
 */
export function httpEventOf(event: unknown): object | null {
  if (typeof event !== 'object' || event === null || 'routeKey' in event) return null;
  const parsed = RestEventSchema.safeParse(event);
  if (!parsed.success) return null;
  const { resource, httpMethod, path, pathParameters, body, isBase64Encoded, requestContext } = parsed.data;
  const userArn = requestContext?.identity?.userArn;
  return {
    routeKey: `${httpMethod} ${resource}`,
    rawPath: path,
    rawQueryString: queryOf(parsed.data),
    headers: headersOf(parsed.data),
    pathParameters: decoded(pathParameters ?? {}),
    body,
    isBase64Encoded,
    // There only where the gateway checked a signature, and then it names whose.
    requestContext: { authorizer: userArn == null || userArn === '' ? null : { iam: { userArn } } },
  };
}

/** What stands before the paths of the API where the client sees it: the stage of a REST API, `/prod`; else nothing. */
export function basePathOf(event: unknown): string {
  const parsed = RestEventSchema.safeParse(event);
  if (!parsed.success || parsed.data.resource.includes('+}')) return '';
  const segments = (parsed.data.requestContext?.path ?? '').split('/');
  const own = parsed.data.resource.split('/').length - 1;
  return segments.length > own ? segments.slice(0, segments.length - own).join('/') : '';
}

/** Names in lower case, values of one name joined: a REST API keeps what the client wrote. */
function headersOf({ headers, multiValueHeaders }: RestEvent): Record<string, string> {
  const joined = new Map<string, string>();
  const lists = multiValueHeaders ?? listsOf(headers ?? {});
  for (const [name, values = []] of Object.entries(lists)) {
    const known = joined.get(name.toLowerCase());
    const value = values.join(',');
    joined.set(name.toLowerCase(), known === undefined ? value : `${known},${value}`);
  }
  return Object.fromEntries(joined);
}

/** The values come decoded. */
function queryOf({ queryStringParameters, multiValueQueryStringParameters }: RestEvent): string {
  const query = new URLSearchParams();
  const lists = multiValueQueryStringParameters ?? listsOf(queryStringParameters ?? {});
  for (const [name, values = []] of Object.entries(lists)) for (const value of values) query.append(name, value);
  return query.toString();
}

/** Segments of the path come as they were sent, where an HTTP API decodes them. */
function decoded(parameters: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      try {
        return [name, value === undefined ? undefined : decodeURIComponent(value)];
      } catch {
        return [name, value]; // a stray percent sign: the handler refuses what is no id
      }
    }),
  );
}

function listsOf(texts: Record<string, string | undefined>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value === undefined ? [] : [value]]));
}
