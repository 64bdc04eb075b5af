import { ConfigError } from '../../core/errors.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { HttpTargetConfig } from '../../core/schemas/target-config.ts';
import { compileBody } from '../../core/template/body-template.ts';
import { compileHeaders, isHeaderText } from '../../core/template/header-template.ts';
import { compileUrl } from '../../core/template/url-template.ts';
import type { Rendered } from '../../core/template/variables.ts';

export interface HttpRequest {
  readonly url: string;
  readonly method: HttpTargetConfig['method'];
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string | null;
}

export interface HttpRequestTemplate {
  /** Secrets that URL, headers and body use, each name once. */
  readonly secretNames: readonly string[];
  /** Puts the secrets in. Throws ConfigError that names a secret which is missing or cannot stand where it is used. */
  bind(secrets: ReadonlyMap<string, string>): BoundRequest;
}

export interface BoundRequest {
  /** The URL with empty row values. */
  readonly sampleUrl: string;
  render(row: Row): Rendered<HttpRequest>;
}

type RequestConfig = Pick<HttpTargetConfig, 'url' | 'method' | 'headers' | 'body_template'>;

/** Reads the templates of a target's request, once a run. Throws ConfigError with fields below `where`. */
export function compileHttpRequest(config: RequestConfig, { where }: { readonly where: string }): HttpRequestTemplate {
  const url = compileUrl(config.url, { where: `${where}.url` });
  const headers = compileHeaders(config.headers, { where: `${where}.headers` });
  const configuredType = headers.configured('content-type');
  const body =
    config.method === 'GET'
      ? null
      : compileBody(config.body_template, configuredType, { where: `${where}.body_template` });
  const ours = ['user-agent', 'assay', 'accept', 'application/json, text/plain;q=0.9, */*;q=0.8'];
  if (body !== null) ours.push('content-type', body.contentType);
  const defaults = pairsWithout(ours, (name) => headers.configured(name) !== undefined);
  const inLines = new Set([...url.secretNames, ...headers.secretNames]);
  const secretNames = [...new Set([...inLines, ...(body?.secretNames ?? [])])];

  return {
    secretNames,
    bind: (resolved) => {
      const secrets = checkSecrets(secretNames, inLines, resolved, where);
      const boundUrl = url.bind(secrets);
      return {
        sampleUrl: boundUrl.sample,
        render: (row) => {
          const address = boundUrl.render(row);
          if (!address.ok) return address;
          const lines = headers.render(row, secrets);
          if (!lines.ok) return lines;
          const text = body === null ? NO_BODY : body.render({ row, secrets });
          if (!text.ok) return text;
          const sent = { url: address.value, method: config.method, headers: [...defaults, ...lines.value] };
          return { ok: true, value: { ...sent, body: text.value } };
        },
      };
    },
  };
}

const NO_BODY = { ok: true, value: null } as const;

/** Headers, names and values in turn, without those that `drop` names. */
export function pairsWithout(headers: readonly string[], drop: (name: string) => boolean): string[] {
  return headers.filter((_, index) => !drop((headers[index - (index % 2)] ?? '').toLowerCase()));
}

/** A secret read from a file keeps its last line break, which no header can carry. */
function checkSecrets(
  names: readonly string[],
  inLines: ReadonlySet<string>,
  resolved: ReadonlyMap<string, string>,
  where: string,
): Map<string, string> {
  const secrets = new Map(names.map((name) => [name, (resolved.get(name) ?? '').replace(/[\r\n]+$/, '')]));
  const missing = names.filter((name) => secrets.get(name) === '');
  if (missing.length > 0) {
    throw new ConfigError(missing.map((name) => ({ field: where, message: `secret ${name} is missing or empty` })));
  }
  const unusable = [...inLines].filter((name) => !isHeaderText(secrets.get(name) ?? ''));
  if (unusable.length > 0) {
    throw new ConfigError(
      unusable.map((name) => ({
        field: where,
        message: `secret ${name} holds a line break or another character that no header or URL can carry`,
        fix: 'store the value again without it',
      })),
    );
  }
  return secrets;
}
