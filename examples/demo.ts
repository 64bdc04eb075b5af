import { parseArgs } from 'node:util';
import { systemClock } from '../src/adapters/system-clock.ts';
import { reportError } from '../src/cli/exit.ts';
import { judgesFromFlags } from '../src/cli/judge-flags.ts';
import { parseOptions } from '../src/cli/options.ts';
import { printSummary } from '../src/cli/print-summary.ts';
import { PRICES } from '../src/core/cost/price-table.ts';
import { createProgress } from '../src/report/progress.ts';
import type { FinishedRun } from '../src/runner/finish-run.ts';
import { loadEval } from '../src/runner/load-eval.ts';
import { startLocalRun } from '../src/runner/local-run.ts';
import { Workspace } from '../src/runner/workspace.ts';
import { runCloudDemo } from './demo-cloud.ts';
import { startSupportBot } from './support-bot/server.ts';

const EVALS = ['examples/evals/support-faq.yaml', 'examples/evals/support-hard.yaml'];
/** One that passes and one that fails, so that both are seen. */
const EXPECTED_GATES = ['pass', 'fail'];
/** One of its two evals fails, and both decide. */
const CLOUD_GATE = 'fail';
const PREFERRED_PORT = 4010;
const RULE = '─'.repeat(80);

try {
  process.exitCode = await demo();
} catch (error) {
  reportError(error);
  process.exitCode = 2;
}

async function demo(): Promise<number> {
  const { values } = parseArgs({ options: { judge: { type: 'string' } } });
  const bot = await startSupportBot(PREFERRED_PORT).catch(() => startSupportBot());
  console.log(`An example support bot answers on ${bot.url}/answer. Two evals ask it:\n`);
  try {
    const finished: FinishedRun[] = [];
    for (const file of EVALS) finished.push(await runEval(file, bot.url, values.judge));
    console.log(RULE);
    console.log('Reports to open in a browser:');
    for (const { run, summary, paths } of finished)
      console.log(`  ${summary.gate.toUpperCase().padEnd(5)} ${run.eval.name.padEnd(14)} ${paths.report}`);
    console.log(`\n${RULE}\nThe same evals through the cloud app, on emulators of S3 and DynamoDB:\n`);
    const cloudGate = await runCloudDemo({ evals: EVALS, botUrl: bot.url, reports: '.assay/demo-cloud' });
    console.log(`\nThe bot has faults on purpose, so the second gate should fail. Try it yourself:
  npx assay run ${EVALS[0]}        (with the bot running: npm run bot)
  npx assay init                     writes an eval to start from
  npx assay dev                      the cloud app on this machine`);
    if (cloudGate !== CLOUD_GATE) return 1;
    return finished.every(({ summary }, index) => values.judge !== undefined || summary.gate === EXPECTED_GATES[index])
      ? 0
      : 1;
  } finally {
    await bot.close();
  }
}

async function runEval(file: string, botUrl: string, judge: string | undefined): Promise<FinishedRun> {
  console.log(`${RULE}\n$ assay run ${file}\n`);
  const flags = parseOptions(judge === undefined ? [] : ['--judge', judge], {
    judge: { type: 'string' },
    'judge-url': { type: 'string' },
  });
  const asked =
    judge === undefined && process.env.ASSAY_JUDGE_URL !== undefined
      ? parseOptions(['--judge', 'openai'], { judge: { type: 'string' } })
      : flags;
  const loaded = await loadEval(file, { judges: judgesFromFlags(asked) });
  for (const target of loaded.config.targets) if (target.type === 'http') target.url = `${botUrl}/answer`;
  let progress: ReturnType<typeof createProgress> | undefined;
  let done = 0;
  const finished = await startLocalRun(loaded, {
    workspace: new Workspace('.assay'),
    prices: PRICES,
    ref: null,
    sha: null,
    cancel: new AbortController().signal,
    onStart(run) {
      progress = createProgress({
        total: run.rows,
        stream: process.stderr,
        isTty: process.stderr.isTTY === true,
        clock: systemClock,
      });
    },
    onResult() {
      done += 1;
      progress?.update(done, 0, 0);
    },
  });
  progress?.finish();
  printSummary(finished);
  console.log();
  return finished;
}
