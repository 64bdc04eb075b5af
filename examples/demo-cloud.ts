import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setLogSink } from '../lambdas/shared/log.ts';
import { push } from '../src/cli/commands/push.ts';
import { DeployedClient } from '../src/cli/deployed-client.ts';
import { describeGate, waitForGate } from '../src/cli/gate-wait.ts';
import { isJsonObject, type JsonObject } from '../src/core/json.ts';
import { startDevStack } from '../src/dev/dev-stack.ts';

export interface CloudDemo {
  /** Evals, each with its dataset beside it. */
  readonly evals: readonly string[];
  readonly botUrl: string;
  /** Receives the reports: the stack is gone when the demo ends. */
  readonly reports: string;
}

const PROJECT = 'demo';
const DEADLINE_S = 50;

/** The same evals through the cloud app on this machine: pushed, started by webhook, gate polled. Returns the gate. */
export async function runCloudDemo({ evals, botUrl, reports }: CloudDemo): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-demo-'));
  setLogSink(() => {});
  const startedMs = performance.now();
  const stack = await startDevStack({ folder: join(folder, 'state'), port: 0 });
  try {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(`$ assay dev\nup after ${seconds} s: ${stack.url}\n`);
    const pushed = join(folder, 'evals');
    await copyEvals(evals, pushed, botUrl);
    console.log(`$ assay push examples/evals --project ${PROJECT}`);
    await push([pushed, '--project', PROJECT, '--url', stack.url, '--token', stack.token]);
    const secret = (await stack.secrets.webhook(PROJECT))?.current ?? '';

    const client = new DeployedClient({ url: stack.url, token: stack.token });
    console.log(
      `\n$ curl -X POST ${stack.url}/api/runs/webhook/${PROJECT} -H "X-Webhook-Secret: $ASSAY_WEBHOOK_SECRET"`,
    );
    const started = await client.webhook(PROJECT, secret, { triggered_by: 'demo' });
    console.log(`${JSON.stringify(started)}\n`);
    console.log(
      `$ curl ${stack.url}${started.status_url} -H "X-Webhook-Secret: $ASSAY_WEBHOOK_SECRET"     until it is final`,
    );
    const gate = await waitForGate({
      client,
      secret,
      path: String(started.status_url),
      deadlineS: DEADLINE_S,
      quiet: false,
      signal: new AbortController().signal,
    });
    console.log(describeGate(gate, stack.url));
    await keepReports(gate, stack.fileUrl, reports);
    return String(gate.gate);
  } finally {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The evals ask the bot where it listens this time. */
async function copyEvals(files: readonly string[], folder: string, botUrl: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    await writeFile(join(folder, basename(file)), text.replace(/http:\/\/127\.0\.0\.1:\d+/, botUrl));
    const dataset = file.replace(/\.yaml$/, '.csv');
    await writeFile(join(folder, basename(dataset)), await readFile(dataset));
  }
}

async function keepReports(
  gate: JsonObject,
  fileUrl: (project: string, runId: string, file: string) => string,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const run of Array.isArray(gate.runs) ? gate.runs.filter(isJsonObject) : []) {
    const reply = await fetch(fileUrl(PROJECT, String(run.run_id), 'report.html'));
    if (!reply.ok) continue;
    const path = join(folder, `${run.eval}.html`);
    await writeFile(path, await reply.text());
    console.log(`  ${String(run.status).toUpperCase().padEnd(6)} ${String(run.eval).padEnd(14)} ${path}`);
  }
}
