import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { ConfigError } from '../core/errors.ts';

/** A request as it goes over the line. */
export interface SignableRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}
/** Gives all headers to send, the signature among them. Throws ConfigError where there are no credentials. */
export type Signer = (request: SignableRequest) => Promise<Record<string, string>>;

export interface SignerOptions {
  /** Where credentials come from; absent: as for every AWS tool (environment, profile, SSO, instance). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly env?: NodeJS.ProcessEnv;
}

const NO_CREDENTIALS = {
  message: 'no AWS credentials to sign with',
  fix: 'set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or sign in with aws sso login',
};

/** Signs management calls for a stage with `api.auth: iam` (Signature Version 4, service `execute-api`). */
export function iamSigner(appUrl: string, { credentials, env = process.env }: SignerOptions = {}): Signer {
  const region = regionOf(appUrl, env);
  const signer = openSigner(region, credentials);
  return async ({ method, url, headers, body }) => {
    const signed = await (await signer)
      .sign({
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { ...headers, host: url.host },
        ...(body === null ? {} : { body }),
      })
      .catch((error: unknown) => {
        if ((error as Error).name !== 'CredentialsProviderError') throw error;
        throw new ConfigError([NO_CREDENTIALS]);
      });
    return signed.headers;
  };
}

/** Loaded when asked for: most stages take a token. */
async function openSigner(region: string, credentials: SignerOptions['credentials']) {
  const [{ SignatureV4 }, { defaultProvider }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@aws-sdk/credential-provider-node'),
  ]);
  const from = credentials ?? defaultProvider();
  return new SignatureV4({ service: 'execute-api', region, credentials: from, sha256: Sha256 });
}

/** Of the API's own host name; a custom domain does not tell it. */
function regionOf(appUrl: string, env: NodeJS.ProcessEnv): string {
  const told = /\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/.exec(URL.parse(appUrl)?.hostname ?? '')?.[1];
  const region = told ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? '';
  if (region !== '') return region;
  throw new ConfigError([{ message: `the Region of ${appUrl} is not known`, fix: 'set AWS_REGION' }]);
}

/** What the signer asks of a hash: plain, or keyed by a secret. */
class Sha256 {
  readonly #secret: string | Uint8Array | undefined;
  #hash: Hash | Hmac;
  constructor(secret?: SecretData) {
    this.#secret = secret === undefined || typeof secret === 'string' ? secret : bytesOf(secret);
    this.#hash = this.#open();
  }
  update(chunk: SecretData): void {
    this.#hash.update(typeof chunk === 'string' ? chunk : bytesOf(chunk));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    this.#hash = this.#open();
  }
  #open(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

type SecretData = string | ArrayBuffer | ArrayBufferView;

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
