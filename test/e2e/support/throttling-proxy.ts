import { createServer, request as httpRequest } from 'node:http';
import { closeServer, listen } from './stub-target.ts';

export interface ThrottlingProxy {
  readonly url: string;
  /** Where calls go; set before the first one. */
  forwardTo(url: string): void;
  refused(): number;
  close(): Promise<void>;
}

/** Stands before an emulator and answers some calls as the service does when it has had enough. */
export async function startThrottlingProxy(
  service: 's3' | 'dynamodb',
  refuses: (call: number) => boolean,
): Promise<ThrottlingProxy> {
  let upstream = '';
  let calls = 0;
  let refused = 0;
  const server = createServer((incoming, response) => {
    calls += 1;
    if (refuses(calls)) {
      refused += 1;
      incoming.resume();
      const { status, type, body } = REFUSALS[service];
      response.writeHead(status, { 'content-type': type });
      response.end(body);
      return;
    }
    const { hostname, port } = new URL(upstream);
    const { method, url, headers } = incoming;
    const outgoing = httpRequest({ hostname, port, method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  const url = await listen(server);
  return {
    url,
    forwardTo: (to) => {
      upstream = to;
    },
    refused: () => refused,
    close: () => closeServer(server),
  };
}

const REFUSALS = {
  s3: {
    status: 503,
    type: 'application/xml',
    body: '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>',
  },
  dynamodb: {
    status: 400,
    type: 'application/x-amz-json-1.0',
    body: JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      message: 'The level of configured provisioned throughput for the table was exceeded.',
    }),
  },
} as const;
