import { ConfigError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, clientOf, webhookSecretOf } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { describeGate, exitCodeOfGate, waitForGate } from '../gate-wait.ts';
import { parseOptions } from '../options.ts';
import { projectOf } from '../project-option.ts';

const HELP = `assay trigger --project <id> [--wait]     start the active evals of a project by its webhook

  --project <id>      the project (default ASSAY_PROJECT)
  --evals <a,b>       these evals instead of all active ones
  --ref <branch>, --sha <commit>   kept with the runs (default GITHUB_REF, GITHUB_SHA)
  --triggered-by <s>  who or what asks (default assay-cli)
  --key <key>         the same key again starts nothing new and gives the first answer
  --wait              until the gate is final; the exit code is the gate
  --timeout <s>       give up waiting after this long (default 3600)
  --json              the answer as JSON on standard output
  --quiet             no progress
${CONNECTION_HELP}

The webhook secret comes from ASSAY_WEBHOOK_SECRET. Exit codes with --wait: 0 pass, 1 fail, 2 error or no gate in time.
`;

const DEFAULT_TIMEOUT_S = 3_600;

export async function trigger(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...CONNECTION_OPTIONS,
    project: { type: 'string' },
    evals: { type: 'string' },
    ref: { type: 'string' },
    sha: { type: 'string' },
    'triggered-by': { type: 'string' },
    key: { type: 'string' },
    wait: { type: 'boolean' },
    timeout: { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  if (options.positionals.length > 0) {
    throw new ConfigError([
      { message: `trigger takes no "${options.positionals[0]}"`, fix: 'name evals with --evals a,b' },
    ]);
  }
  const project = projectOf(options);
  const client = clientOf(options);
  const secret = webhookSecretOf();
  const evals = options.text('evals');
  const body: JsonObject = {
    triggered_by: options.text('triggered-by') ?? 'assay-cli',
    ref: options.text('ref') ?? process.env.GITHUB_REF ?? null,
    sha: options.text('sha') ?? process.env.GITHUB_SHA ?? null,
    ...(evals === undefined ? {} : { evals: evals.split(',').map((name) => name.trim()) }),
  };
  const started = await client.webhook(project, secret, body, options.text('key'));
  const print = (value: JsonObject) => {
    if (options.flag('json')) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  };
  if (!options.flag('wait')) {
    print(started);
    if (!options.flag('json'))
      process.stdout.write(`started ${started.gate_run_id}\n${client.url}${started.status_url}\n`);
    return EXIT_PASSED;
  }
  process.stderr.write(`started ${started.gate_run_id}\n`);
  const gate = await waitForGate({
    client,
    secret,
    path: String(started.status_url),
    deadlineS: options.count('timeout') ?? DEFAULT_TIMEOUT_S,
    quiet: options.flag('quiet'),
    signal: new AbortController().signal,
  });
  print(gate);
  if (!options.flag('json')) process.stdout.write(describeGate(gate, client.url));
  return exitCodeOfGate(gate);
}
