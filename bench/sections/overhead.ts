import { type Measured, runAssay, runBare, type Setting } from '../contenders.ts';
import { fixed, median, megabytes, spread, table } from '../numbers.ts';
import type { Aim, Section, SectionContext, SectionResult } from '../section.ts';

interface Plan extends Setting {
  readonly rounds: number;
  readonly sideBySide?: boolean;
}

const ZERO = { targetMs: 0, judgeMs: 0 };
const REAL = { targetMs: 200, judgeMs: 300 };
const PLANS: readonly Plan[] = [
  { ...ZERO, rows: 1_000, concurrency: 4, rounds: 5 },
  { ...ZERO, rows: 1_000, concurrency: 50, rounds: 5 },
  { ...ZERO, rows: 10_000, concurrency: 4, rounds: 3 },
  { ...ZERO, rows: 10_000, concurrency: 50, rounds: 3 },
  { ...REAL, rows: 100, concurrency: 4, rounds: 2 },
  { ...REAL, rows: 1_000, concurrency: 50, rounds: 3 },
];
/** Minutes each; measured only in full. */
const LONG_PLANS: readonly Plan[] = [{ ...REAL, rows: 10_000, concurrency: 50, rounds: 1 }];
/** 20 minutes in which nearly nothing happens: both contenders at once, each against its own stub, beside the other sections. */
const SLOW_PLANS: readonly Plan[] = [
  { ...REAL, rows: 1_000, concurrency: 4, rounds: 1, sideBySide: true },
  { ...REAL, rows: 10_000, concurrency: 4, rounds: 1, sideBySide: true },
];
/** promptfoo 0.123.1, 10,000 rows at 0 ms and concurrency 50, on the machine its figures were taken on. */
const PROMPTFOO_ROWS_PER_S = 170;

interface Pair {
  readonly bare: Measured;
  readonly assay: Measured;
}

/** `assay run` against the bare loop, round by round. */
export const overhead: Section = (context) => compare(context.full ? [...PLANS, ...LONG_PLANS] : PLANS, context);

/** The same where few rows are in flight and each takes its time. */
export const slowOverhead: Section = (context) => compare(SLOW_PLANS, context);

async function compare(plans: readonly Plan[], context: SectionContext): Promise<SectionResult> {
  const rows: string[][] = [];
  const aims: Aim[] = [];
  for (const plan of plans) {
    const pairs: Pair[] = [];
    for (let round = 1; round <= plan.rounds; round += 1) {
      context.progress(`${nameOf(plan)}, round ${round} of ${plan.rounds}`);
      pairs.push(await runPair(plan, context));
    }
    rows.push(line(plan, 'bare', pairs), line(plan, 'assay', pairs));
    aims.push(...aimsOf(plan, pairs));
  }
  const head = [
    'latency, concurrency, rows',
    '',
    'wall s',
    'rows/s',
    '× bare wall',
    'CPU s / 1,000 rows',
    '× bare CPU',
    'peak MB',
  ];
  return { text: table(head, rows), aims };
}

async function runPair(plan: Plan, { work }: SectionContext): Promise<Pair> {
  if (plan.sideBySide === true) {
    const [bare, assay] = await Promise.all([runBare(work, plan), runAssay(work, plan)]);
    return { bare, assay };
  }
  return { bare: await runBare(work, plan), assay: await runAssay(work, plan) };
}

function line(plan: Plan, who: keyof Pair, pairs: readonly Pair[]): string[] {
  const runs = pairs.map((pair) => pair[who]);
  const against = (value: (run: Measured) => number) =>
    who === 'bare' ? '1' : spread(pairs.map(({ bare, assay }) => value(assay) / value(bare)));
  return [
    who === 'bare' ? nameOf(plan) : '',
    who === 'bare' ? 'bare loop' : '`assay run`',
    spread(runs.map(({ wallS }) => wallS)),
    perSecond(plan.rows / median(runs.map(({ wallS }) => wallS))),
    against(({ wallS }) => wallS),
    spread(runs.map(({ cpuS }) => (cpuS / plan.rows) * 1000)),
    against(({ cpuS }) => cpuS),
    fixed(median(runs.map(({ peakBytes }) => megabytes(peakBytes))), 0),
  ];
}

function aimsOf(plan: Plan, pairs: readonly Pair[]): Aim[] {
  const ratio = (value: (run: Measured) => number) =>
    median(pairs.map(({ bare, assay }) => value(assay) / value(bare)));
  const cpu = ratio(({ cpuS }) => cpuS);
  const where = nameOf(plan);
  if (plan.targetMs > 0 && plan.concurrency === 50) {
    const wall = ratio(({ wallS }) => wallS);
    return [
      { what: `wall time, ${where}`, aim: '≤ 1.03 × bare', measured: `${fixed(wall, 3)} ×`, met: wall <= 1.03 },
      { what: `CPU, ${where}`, aim: '≤ 1.5 × bare', measured: `${fixed(cpu, 2)} ×`, met: cpu <= 1.5 },
    ];
  }
  if (plan.targetMs === 0 && plan.rows === 10_000 && plan.concurrency === 50) {
    const perS = plan.rows / median(pairs.map(({ assay }) => assay.wallS));
    const aim = `≥ ${fixed(PROMPTFOO_ROWS_PER_S * 10, 0)} rows/s (10 × promptfoo)`;
    return [
      { what: `rate, ${where}`, aim, measured: `${fixed(perS, 0)} rows/s`, met: perS >= PROMPTFOO_ROWS_PER_S * 10 },
      { what: `CPU, ${where}`, aim: '≤ 1.5 × bare', measured: `${fixed(cpu, 2)} ×`, met: cpu <= 1.5 },
    ];
  }
  return [];
}

function nameOf({ targetMs, judgeMs, concurrency, rows }: Setting): string {
  const latency = targetMs === 0 ? '0 ms' : `${targetMs} + ${judgeMs} ms`;
  return `${latency}, c=${concurrency}, ${fixed(rows, 0)}`;
}

const perSecond = (rate: number): string => fixed(rate, rate < 10 ? 2 : rate < 100 ? 1 : 0);
