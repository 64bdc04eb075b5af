import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StoredSchedule {
  readonly Name: string;
  readonly GroupName: string;
  ScheduleExpression: string;
  ScheduleExpressionTimezone: string;
  State: string;
  Target: { Arn: string; RoleArn: string; Input: string; RetryPolicy: object; DeadLetterConfig: object };
  readonly FlexibleTimeWindow: { Mode: string };
  readonly Description: string;
}

export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any form
  readonly body: any;
}

const PAGE = 50;

/** EventBridge Scheduler as far as we call it: schedules of groups, in pages, with its errors and its checks of what is sent. */
export class SchedulerService {
  readonly schedules = new Map<string, StoredSchedule>();
  readonly calls: ServiceCall[] = [];
  readonly groups = new Set(['assay-prod']);
  /** Looks at a call before it is answered: an error's name and status, or nothing. */
  fault: (call: ServiceCall) => { status: number; type: string } | undefined = () => undefined;
  readonly #server: Server = createServer((request, response) => void this.answer(request, response));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const call = { method: request.method ?? '', path: request.url ?? '', body: text === '' ? null : JSON.parse(text) };
    this.calls.push(call);
    const reply = this.fault(call) ?? this.reply(call);
    const isError = 'type' in reply;
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      ...(isError ? { 'x-amzn-errortype': String(reply.type) } : {}),
    });
    response.end(JSON.stringify(isError ? { Message: `${reply.type} of the stand-in` } : reply.body));
  }

  private reply({ method, path, body }: ServiceCall) {
    const url = new URL(path, 'http://service');
    const name = decodeURIComponent(/^\/schedules\/([^/]+)$/.exec(url.pathname)?.[1] ?? '');
    if (name === '' && method === 'GET' && url.pathname === '/schedules') return this.list(url.searchParams);
    const group = method === 'GET' || method === 'DELETE' ? url.searchParams.get('groupName') : body?.GroupName;
    const key = `${group}/${name}`;
    const known = this.schedules.get(key);
    if (!this.groups.has(String(group))) return { status: 404, type: 'ResourceNotFoundException' };
    if (method === 'POST') {
      if (known !== undefined) return { status: 409, type: 'ConflictException' };
      return this.store(key, name, body);
    }
    if (known === undefined) return { status: 404, type: 'ResourceNotFoundException' };
    if (method === 'PUT') return this.store(key, name, body);
    if (method === 'GET') return { status: 200, body: known };
    this.schedules.delete(key);
    return { status: 200, body: {} };
  }

  private store(key: string, Name: string, sent: Omit<StoredSchedule, 'Name'> & { ClientToken?: string }) {
    // Of the call, not of the schedule.
    const { ClientToken: _, ...body } = sent;
    const isValid =
      /^[0-9a-zA-Z-_.]{1,64}$/.test(Name) &&
      body.ScheduleExpression.length <= 256 &&
      isEventBridgeCron(body.ScheduleExpression) &&
      body.ScheduleExpressionTimezone.length <= 50 &&
      body.Description.length <= 512 &&
      body.FlexibleTimeWindow.Mode === 'OFF';
    if (!isValid) return { status: 400, type: 'ValidationException' };
    this.schedules.set(key, { ...body, Name });
    return { status: 200, body: { ScheduleArn: `arn:aws:scheduler:eu-west-1:111122223333:schedule/${key}` } };
  }

  private list(query: URLSearchParams) {
    const group = query.get('ScheduleGroup') ?? '';
    if (!this.groups.has(group)) return { status: 404, type: 'ResourceNotFoundException' };
    const from = Number(query.get('NextToken') ?? 0);
    const all = [...this.schedules.values()].filter(({ GroupName }) => GroupName === group);
    const page = all.slice(from, from + PAGE);
    const more = from + PAGE < all.length ? { NextToken: String(from + PAGE) } : {};
    const Schedules = page.map(({ Name, GroupName, State, Target }) => ({
      Name,
      GroupName,
      State,
      Target: { Arn: Target.Arn },
    }));
    return { status: 200, body: { Schedules, ...more } };
  }
}

/** Six fields, exactly one of the two days a question mark. */
function isEventBridgeCron(expression: string): boolean {
  const fields = /^cron\((.*)\)$/.exec(expression)?.[1]?.split(' ') ?? [];
  return fields.length === 6 && (fields[2] === '?') !== (fields[4] === '?');
}
