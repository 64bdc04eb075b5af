import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  readonly number: number;
  readonly method: string;
  readonly url: string;
  /** Operation of a JSON service, such as `PutItem`; empty for S3. */
  readonly operation: string;
}

/**
 * `before`: refused, nothing was done. `after`: done, and the connection breaks instead of a reply.
 * `mid-body`: the reply breaks off half-way. A reply: given in place of the service's.
 */
export type Fault = 'before' | 'after' | 'mid-body' | { readonly status: number; readonly body: string };

/** Stands between a client and an emulator and breaks the calls that `plan` names. */
export class FaultProxy {
  readonly calls: Call[] = [];
  plan: (call: Call) => Fault | undefined = () => undefined;
  private readonly server;
  private readonly service: URL;

  constructor(service: string) {
    this.service = new URL(service);
    this.server = createServer((incoming, outgoing) => {
      const target = String(incoming.headers['x-amz-target'] ?? '');
      const call = {
        number: this.calls.length + 1,
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        operation: target.split('.')[1] ?? '',
      };
      this.calls.push(call);
      const fault = this.plan(call);
      if (fault === 'before') {
        incoming.destroy();
        return;
      }
      if (typeof fault === 'object') {
        incoming.resume();
        outgoing.writeHead(fault.status, { 'content-type': 'application/x-amz-json-1.0' }).end(fault.body);
        return;
      }
      const { hostname, port } = this.service;
      const { method, url, headers } = incoming;
      const forwarded = httpRequest({ hostname, port, method, path: url, headers, agent: false }, (reply) => {
        if (fault === 'after') {
          reply.resume().on('end', () => outgoing.destroy());
          return;
        }
        outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
        if (fault === undefined) {
          reply.pipe(outgoing);
          return;
        }
        reply.once('data', (chunk: Buffer) => {
          outgoing.write(chunk.subarray(0, Math.floor(chunk.byteLength / 2)), () => outgoing.destroy());
          reply.destroy();
        });
      });
      forwarded.on('error', () => outgoing.destroy());
      incoming.pipe(forwarded);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
