import { ConfigError } from '../../core/errors.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, clientOf, webhookSecretOf } from '../deployed-client.ts';
import { EXIT_PASSED } from '../exit.ts';
import { describeGate, exitCodeOfGate, waitForGate } from '../gate-wait.ts';
import { parseOptions } from '../options.ts';

const HELP = `assay status <gate run> [--wait]     the gate of runs that a webhook started

  --wait           until the gate is final
  --timeout <s>    give up waiting after this long (default 3600)
  --json           the answer as JSON on standard output
  --quiet          no progress
${CONNECTION_HELP}

The webhook secret comes from ASSAY_WEBHOOK_SECRET. Exit codes: 0 pass, 1 fail, 2 error, or no gate yet.
`;

const DEFAULT_TIMEOUT_S = 3_600;

export async function status(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {
    ...CONNECTION_OPTIONS,
    wait: { type: 'boolean' },
    timeout: { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
  });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const [gateRunId = '', ...others] = options.positionals;
  // A status_url will do too.
  const id = gateRunId.split('/').at(-1) ?? '';
  if (!/^g-[0-9A-HJKMNP-TV-Z]{26}$/.test(id) || others.length > 0) {
    throw new ConfigError([
      { message: gateRunId === '' ? 'no gate run given' : `"${gateRunId}" is no gate run`, fix: 'assay status g-…' },
    ]);
  }
  const client = clientOf(options);
  const secret = webhookSecretOf();
  const path = `/api/gates/${id}`;
  const gate = options.flag('wait')
    ? await waitForGate({
        client,
        secret,
        path,
        deadlineS: options.count('timeout') ?? DEFAULT_TIMEOUT_S,
        quiet: options.flag('quiet'),
        signal: new AbortController().signal,
      })
    : await client.gate(path, secret);
  process.stdout.write(options.flag('json') ? `${JSON.stringify(gate, null, 2)}\n` : describeGate(gate, client.url));
  return exitCodeOfGate(gate);
}
