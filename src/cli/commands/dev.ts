import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { setLogSink } from '../../../lambdas/shared/log.ts';
import { makeFolder } from '../../adapters/local/make-folder.ts';
import { ConfigError, StorageError } from '../../core/errors.ts';
import { RUN_FINISHED } from '../../core/schemas/run-finished.ts';
import { startConverseBridge } from '../../dev/converse-bridge.ts';
import type { DevBedrock } from '../../dev/dev-judges.ts';
import { EVENTS_FILE } from '../../dev/dev-ports.ts';
import { type DevStack, type DevStackOptions, startDevStack } from '../../dev/dev-stack.ts';
import { resetDevStack } from '../../dev/reset-folder.ts';
import { RunWatch } from '../../dev/run-watch.ts';
import { visibleLine } from '../../report/visible-text.ts';
import { EXIT_PASSED } from '../exit.ts';
import { type ParsedOptions, parseOptions } from '../options.ts';

const HELP = `assay dev     the whole cloud app on this machine: webhook, workflow, gate, on emulators of S3 and DynamoDB

  --port <n>     of the API (default 8080)
  --dir <folder> where the state is kept (default .assay/dev)
  --reset        begin with nothing: wipes the state in that folder first (refused where the folder holds anything else)
  --bedrock      judges of type bedrock ask AWS, with this machine's credentials

Judges of type bedrock need --bedrock, or an OpenAI-compatible server in ASSAY_JUDGE_URL (with ASSAY_JUDGE_MODEL, and
ASSAY_JUDGE_API_KEY where it wants one). Secrets of evals come from the environment and .env.
Ctrl-C stops it; runs under way go on at the next start.
`;

const DEFAULT_PORT = 8080;

export async function dev(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    port: { type: 'string' },
    dir: { type: 'string' },
    reset: { type: 'boolean' },
    bedrock: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  if (options.positionals.length > 0) throw new ConfigError([{ message: `dev takes no "${options.positionals[0]}"` }]);
  const startedMs = performance.now();
  const stopped = untilStopped();
  const folder = resolve(options.text('dir') ?? join('.assay', 'dev'));
  if (options.flag('reset')) await resetDevStack(folder);
  const log = await openLog(folder);
  const judge = await openJudge(options);
  try {
    const { stack, watch } = await open(folder, options, judge.bedrock);
    process.stdout.write(describe(stack, folder, judge.text, performance.now() - startedMs));
    await stopped;
    watch.stop();
    const left = await stack.close();
    process.stdout.write(`\nstopped${left > 0 ? `; ${left} run(s) under way go on at the next start` : ''}\n`);
    return EXIT_PASSED;
  } finally {
    await judge.close();
    log.end();
  }
}

async function open(folder: string, options: ParsedOptions, bedrock: DevBedrock) {
  const port = options.count('port') ?? DEFAULT_PORT;
  const running: { watch?: RunWatch } = {};
  const stack = await startOn(port, {
    folder,
    port,
    bedrock,
    onEvent: ({ type, execution }) => {
      if (type === 'ExecutionStarted' || type === 'ExecutionRedriven') running.watch?.started(execution);
    },
    onEnded: ({ name }) => running.watch?.ended(name),
    onRunFinished: ({ detail }) => process.stdout.write(`${detail.run_id}  event ${RUN_FINISHED}: ${detail.title}\n`),
  });
  const watch = new RunWatch({
    registry: stack.ports.registry,
    print: (line) => process.stdout.write(`${line}\n`),
    reportUrl: (project, runId) => stack.fileUrl(project, runId, 'report.html'),
  });
  running.watch = watch;
  return { stack, watch };
}

async function startOn(port: number, options: DevStackOptions): Promise<DevStack> {
  try {
    return await startDevStack(options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new ConfigError([
      { message: `port ${port} is in use`, fix: 'stop what listens there (another assay dev?), or give --port <n>' },
    ]);
  }
}

/** What the handlers log is for whoever looks for a fault, not for the console. */
async function openLog(folder: string) {
  await makeFolder(folder).catch((error: Error) => {
    throw new StorageError(`cannot write ${folder}: ${error.message}`, { cause: error });
  });
  const file = createWriteStream(join(folder, 'dev.log'), { flags: 'a' });
  setLogSink((level, record) => {
    file.write(`${JSON.stringify({ time: new Date().toISOString(), level, ...record })}\n`);
    if (level === 'error') process.stderr.write(`${visibleLine(JSON.stringify(record))}\n`);
  });
  return file;
}

async function openJudge(
  options: ParsedOptions,
): Promise<{ bedrock: DevBedrock; text: string; close(): Promise<void> }> {
  const { ASSAY_JUDGE_URL: url, ASSAY_JUDGE_MODEL: model, ASSAY_JUDGE_API_KEY: apiKey } = process.env;
  const close = async () => {};
  if (options.flag('bedrock')) return { bedrock: { kind: 'aws' }, text: 'Bedrock on AWS (metered!)', close };
  const own = process.env.AWS_ENDPOINT_URL_BEDROCK_RUNTIME ?? '';
  if (own !== '') return { bedrock: { kind: 'endpoint', url: own }, text: `Converse at ${own}`, close };
  if ((url ?? '') === '') return { bedrock: { kind: 'none' }, text: 'lexical and recorded only (see --help)', close };
  const bridge = await startConverseBridge({
    url: url ?? '',
    ...(model ? { model } : {}),
    ...(apiKey ? { apiKey } : {}),
  });
  const text = `${url}${model ? `, model ${model}` : ''}, as Bedrock`;
  return { bedrock: { kind: 'endpoint', url: bridge.url }, text, close: () => bridge.close() };
}

function describe(stack: DevStack, folder: string, judge: string, startMs: number): string {
  return `assay dev is up after ${(startMs / 1000).toFixed(1)} s

  API       ${stack.url}
  console   ${stack.url}/console
  token     ${stack.token}
  S3        ${stack.s3Url}
  DynamoDB  ${stack.dynamoUrl}
  judges    ${judge}
  events    ${join(folder, EVENTS_FILE)}
  state     ${folder}${stack.resumed > 0 ? `, ${stack.resumed} run(s) of the last time go on` : ''}

Try it:
  export ASSAY_URL=${stack.url} ASSAY_TOKEN=${stack.token}
  assay push examples/evals --project demo      prints the webhook secret
  curl -sS -X POST $ASSAY_URL/api/runs/webhook/demo -H "X-Webhook-Secret: $ASSAY_WEBHOOK_SECRET"
  assay trigger --project demo --wait           the same, and waits for the gate

Ctrl-C stops it.

`;
}

function untilStopped(): Promise<void> {
  return new Promise((done) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(EXIT_PASSED);
      asked = true;
      done();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
