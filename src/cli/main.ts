import { exitCodeOf, reportError } from './exit.ts';
import { watchOutput } from './watch-output.ts';

type Command = (args: readonly string[]) => Promise<number>;

/** Loaded when called: `--help` and a one-row run should not pay for what they do not use. */
const COMMANDS: Readonly<Record<string, { readonly summary: string; load(): Promise<Command> }>> = {
  init: {
    summary: 'write an example eval and dataset to start from',
    load: async () => (await import('./commands/init.ts')).init,
  },
  validate: {
    summary: 'check an eval and its dataset, show every fault at once',
    load: async () => (await import('./commands/validate.ts')).validate,
  },
  run: {
    summary: 'run an eval here: dataset → target → judge → scores → gate',
    load: async () => (await import('./commands/run.ts')).run,
  },
  import: {
    summary: 'a promptfoo configuration as an eval and a dataset',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  'import-traces': {
    summary: 'recorded agent runs as rows of an agent dataset',
    load: async () => (await import('./commands/import-traces.ts')).importTracesCommand,
  },
  results: { summary: 'list the results of a run', load: async () => (await import('./commands/results.ts')).results },
  query: {
    summary: 'ask the results a question in SQL, by name or as it stands',
    load: async () => (await import('./commands/query.ts')).query,
  },
  report: {
    summary: 'write the report of a run again and say where it lies',
    load: async () => (await import('./commands/report.ts')).report,
  },
  calibrate: {
    summary: 'compare the judge of an eval with human labels',
    load: async () => (await import('./commands/calibrate.ts')).calibrate,
  },
  decide: {
    summary: 'decide a stored run again under another policy, asking no model',
    load: async () => (await import('./commands/decide.ts')).decide,
  },
  dev: {
    summary: 'the whole cloud app on this machine, on emulators',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  plan: {
    summary: 'what a run would take: calls, tokens, cost, time, and what it can show',
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  push: {
    summary: 'put evals and their datasets into a deployed app',
    load: async () => (await import('./commands/push.ts')).push,
  },
  datasets: {
    summary: 'list, show, upload and delete datasets of a deployed app',
    load: async () => (await import('./commands/datasets.ts')).datasets,
  },
  trigger: {
    summary: 'start the evals of a project by its webhook, wait for the gate',
    load: async () => (await import('./commands/trigger.ts')).trigger,
  },
  diff: {
    summary: 'compare two finished runs row by row',
    load: async () => (await import('./commands/diff.ts')).diff,
  },
  baseline: {
    summary: 'promote a run that baseline: pinned compares with; show who did',
    load: async () => (await import('./commands/baseline.ts')).baseline,
  },
  compact: {
    summary: 'copy the results of a large run to Parquet, for Athena',
    load: async () => (await import('./commands/compact.ts')).compact,
  },
  cancel: {
    summary: 'stop a run of a deployed app',
    load: async () => (await import('./commands/cancel.ts')).cancel,
  },
  token: {
    summary: 'make, list and revoke tokens of a deployed app',
    load: async () => (await import('./commands/token.ts')).token,
  },
  status: {
    summary: 'read the gate of a deployed run',
    load: async () => (await import('./commands/status.ts')).status,
  },
};

/** Runs one command and sets the exit code: 0 passed, 1 failed, 2 could not decide. */
export async function main(argv: readonly string[]): Promise<void> {
  watchOutput();
  try {
    process.exitCode = await dispatch(argv);
  } catch (error) {
    reportError(error);
    process.exitCode = exitCodeOf(error);
  }
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(helpText());
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    const { version } = await import('./version.ts');
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const command = COMMANDS[name];
  if (command === undefined) {
    const { nearestName } = await import('../core/nearest.ts');
    const nearest = nearestName(name, Object.keys(COMMANDS));
    process.stderr.write(
      `assay: unknown command "${name}"${nearest === undefined ? '' : `, did you mean "${nearest}"?`} (assay --help lists them)\n`,
    );
    return 2;
  }
  return (await command.load())(args);
}

function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `assay: LLM evals as a release gate

Usage: assay <command> [options]     (assay <command> --help for its options)

${lines.join('\n')}

Exit codes: 0 passed, 1 failed, 2 could not decide (configuration, target down, judge down, interrupted).
`;
}
