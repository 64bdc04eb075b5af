import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { table } from './numbers.ts';
import { type BarChart, barChart, percent } from './simulations/bar-chart.ts';
import { type Coverage, simulateCoverage } from './simulations/coverage.ts';
import { type ExactCoverage, exactNewcombe } from './simulations/exact-newcombe.ts';
import { CONFIRM_TRIALS, type RuleOutcomes, type Scenario, simulateRules } from './simulations/regression-rules.ts';
import { seeded } from './simulations/seeded.ts';

const HELP = `node bench/simulate.ts            what docs/statistics.md says of intervals and rules, simulated; half a minute
node bench/simulate.ts --write    put tables and plots into docs, too

  --repeats <n>   comparisons a cell (default 20000); the seed is always the same
`;

const SEED = 20_260_101;
const FLIP_RATES = [0.01, 0.02, 0.05, 0.1];
const ROWS = [50, 100, 500];
const COVERAGE_ROWS = [40, 200, 1000];
const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));

type Cell = RuleOutcomes & { readonly flipRate: number; readonly rows: number };

const RULES: readonly { name: string; color: string; of(cell: Cell): number }[] = [
  { name: 'plain', color: '#8c8c8c', of: ({ plain }) => plain },
  { name: 'paired', color: '#2f6fba', of: ({ paired }) => paired },
  { name: 'confirmed, 3 trials', color: '#e0992f', of: ({ confirmed }) => confirmed[3] ?? 0 },
  { name: 'confirmed, 5 trials', color: '#2e8b57', of: ({ confirmed }) => confirmed[5] ?? 0 },
];

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, repeats: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help === true) process.stdout.write(HELP);
else simulate(Number(values.repeats ?? 20_000));

function simulate(repeats: number): void {
  const progress = (what: string) => process.stderr.write(`${what}\n`);
  progress('intervals');
  const coverage = simulateCoverage(COVERAGE_ROWS, repeats, seeded(SEED));
  const grid = (what: string, seed: number, of: (rows: number) => Omit<Scenario, 'rows' | 'flipRate'>) => {
    progress(what);
    const random = seeded(seed);
    return FLIP_RATES.flatMap((flipRate) =>
      ROWS.map((rows) => ({ flipRate, rows, ...simulateRules({ flipRate, rows, ...of(rows) }, repeats, random) })),
    );
  };
  const clean = grid('nothing broke', SEED + 1, () => ({ broken: 0 }));
  const one = grid('one row broke', SEED + 2, () => ({ broken: 1 }));
  const three = grid('3 % of rows broke', SEED + 3, (rows) => ({ broken: Math.round(rows * 0.03) }));
  const ten = grid('10 % of rows broke', SEED + 4, (rows) => ({ broken: Math.round(rows * 0.1) }));
  const lucky = grid('10 % usually fail', SEED + 5, (rows) => ({ broken: 0, usuallyFailing: Math.round(rows * 0.1) }));
  const noisy = grid('10 % are noisy', SEED + 6, (rows) => ({ broken: 0, noisy: Math.round(rows * 0.1) }));
  const text = [
    `${repeats.toLocaleString('en')} comparisons a cell, seed ${SEED}: \`node bench/simulate.ts --write\` gives these numbers again.`,
    `### Intervals\n\n${coverageTable(coverage)}`,
    exactly(exactNewcombe(COVERAGE_ROWS[0] ?? 40, 150, seeded(SEED + 7))),
    '![How often intervals hold the truth](images/statistics/coverage.svg)',
    `### False alarms: nothing broke, and the run fails\n\n${ruleTable(clean)}`,
    '![False alarms of three rules](images/statistics/false-alarms.svg)',
    verdict(clean),
    `### One row broke: the run fails\n\n${ruleTable(one)}`,
    `### 3 of 100 rows broke: the run fails\n\n${ruleTable(three)}`,
    '![Power of three rules](images/statistics/power.svg)',
    `### 10 of 100 rows broke: the run fails\n\n${ruleTable(ten)}`,
    `### False alarms where 10 of 100 rows usually fail\n\n${ruleTable(lucky)}`,
    `### False alarms where 10 of 100 rows fail 3 times in 10\n\n${ruleTable(noisy)}`,
  ].join('\n\n');
  process.stdout.write(`${text}\n`);
  if (values.write !== true) return;
  mkdirSync(`${DOCS}images/statistics`, { recursive: true });
  writeFileSync(`${DOCS}images/statistics/coverage.svg`, barChart(coverageChart(coverage)));
  writeFileSync(
    `${DOCS}images/statistics/false-alarms.svg`,
    barChart(ruleChart('False alarms: nothing broke, and the run fails', clean, true)),
  );
  writeFileSync(
    `${DOCS}images/statistics/power.svg`,
    barChart(ruleChart('Power: 3 of 100 rows broke, and the run fails', three, false)),
  );
  const file = `${DOCS}statistics.md`;
  const [before = '', rest = ''] = readFileSync(file, 'utf8').split('<!-- simulated -->');
  const after = rest.split('<!-- end -->')[1] ?? '\n';
  writeFileSync(file, `${before}<!-- simulated -->\n${text}\n<!-- end -->${after}`);
}

function coverageTable(coverage: readonly Coverage[]): string {
  const methods = [...new Set(coverage.map(({ method }) => method))];
  const rows = methods.map((method) => [
    method,
    ...COVERAGE_ROWS.map((n) => {
      const cell = coverage.find((one) => one.method === method && one.rows === n);
      return cell === undefined ? '–' : `${percent(cell.covered)} (± ${(cell.width * 50).toFixed(1)})`;
    }),
  ]);
  return `Share of intervals that hold the truth, in brackets half their mean width in points.\n\n${table(['interval', ...COVERAGE_ROWS.map((n) => `${n} rows`)], rows)}`;
}

function exactly({ rows, truths, mean, least }: ExactCoverage): string {
  return `Newcombe's interval at ${rows} rows without any chance, summed over all tables that ${rows} rows can give: it holds ${truths} truths in ${percent(mean)} on average, and none in less than ${percent(least)}.`;
}

function ruleTable(cells: readonly Cell[]): string {
  const head = [
    'flip rate',
    'rows',
    'plain: any flip',
    'paired: margin 3 points',
    '(inconclusive)',
    ...CONFIRM_TRIALS.map((trials) => `confirmed, ${trials} trials`),
    ...CONFIRM_TRIALS.map((trials) => `further calls, ${trials} trials`),
  ];
  const rows = cells.map((cell) => [
    percent(cell.flipRate),
    String(cell.rows),
    percent(cell.plain),
    percent(cell.paired),
    percent(cell.pairedInconclusive),
    ...CONFIRM_TRIALS.map((trials) => percent(cell.confirmed[trials] ?? 0)),
    ...CONFIRM_TRIALS.map((trials) => percent(cell.extraCalls[trials] ?? 0)),
  ]);
  return table(head, rows);
}

/** The sentence that the numbers bear, in numbers of this simulation. */
function verdict(clean: readonly Cell[]): string {
  const loud = clean.filter(({ plain }) => plain > 0.8);
  const sentences = CONFIRM_TRIALS.map((trials) => {
    const worst = loud.toSorted((a, b) => (b.confirmed[trials] ?? 0) - (a.confirmed[trials] ?? 0))[0];
    const dearest = Math.max(...loud.map((cell) => cell.extraCalls[trials] ?? 0));
    const below = loud.filter((cell) => (cell.confirmed[trials] ?? 1) < 0.05).length;
    return `With \`confirm_trials: ${trials}\` the confirmed rule stays below 5% in ${below} of these ${loud.length}; at worst ${percent(worst?.confirmed[trials] ?? 0)} (flip rate ${percent(worst?.flipRate ?? 0)}, ${worst?.rows} rows), for at most ${percent(dearest)} more calls.`;
  });
  return `The plain rule fails more than 80% of unchanged systems in ${loud.length} of ${clean.length} cells. ${sentences.join(' ')}`;
}

function ruleChart(title: string, cells: readonly Cell[], withLine: boolean): BarChart {
  return {
    title,
    series: RULES,
    panels: FLIP_RATES.map((flipRate) => ({
      title: `flip rate ${percent(flipRate)}`,
      groups: cells
        .filter((cell) => cell.flipRate === flipRate)
        .map((cell) => ({ label: `${cell.rows} rows`, values: RULES.map((rule) => rule.of(cell)) })),
    })),
    ...(withLine ? { line: { at: 0.05, label: '5%' } } : {}),
  };
}

function coverageChart(coverage: readonly Coverage[]): BarChart {
  const colors = ['#8c8c8c', '#2f6fba', '#e0992f', '#2e8b57', '#7a4fa3'];
  const methods = [...new Set(coverage.map(({ method }) => method))];
  return {
    title: 'Intervals that miss the truth; 5% is promised',
    series: methods.map((name, at) => ({ name: name.split(' (')[0] ?? name, color: colors[at] ?? '#888' })),
    panels: COVERAGE_ROWS.map((n) => ({
      title: `${n} rows`,
      groups: [
        {
          label: 'missed',
          values: methods.map((method) => {
            const cell = coverage.find((one) => one.method === method && one.rows === n);
            return 1 - (cell?.covered ?? 0);
          }),
        },
      ],
    })),
    line: { at: 0.05, label: '5% missed, as promised' },
    most: 0.1,
  };
}
