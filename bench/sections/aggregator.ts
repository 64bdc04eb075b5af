import { once } from 'node:events';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { RowResult } from '../../src/core/schemas/result.ts';
import type { RunConfig } from '../../src/core/schemas/run.ts';
import { runAssay } from '../contenders.ts';
import { measure, type Usage } from '../measure.ts';
import { fixed, median, megabytes, spread, table } from '../numbers.ts';
import type { Aim, Section, SectionContext } from '../section.ts';

const ROWS = 1_000_000;
const ROUNDS = 3;
/** A part in S3 is a batch; in one file they lie as a local run writes them. */
const ROWS_A_PART = 1_000;
const FORMS = ['gzip', 'plain'] as const;
type Form = (typeof FORMS)[number];

/** `aggregateRun` against parsing the same lines and little more. */
export const aggregator: Section = async (context) => {
  const folders = await writeParts(context);
  const rows: string[][] = [];
  const aims: Aim[] = [];
  for (const form of FORMS) {
    const parse: Usage[] = [];
    const assay: Usage[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      context.progress(`${form}, round ${round} of ${ROUNDS}`);
      parse.push(await aggregateWith('parse', folders[form], context));
      assay.push(await aggregateWith('assay', folders[form], context));
    }
    const against = (value: (run: Usage) => number) =>
      assay.map((run, round) => value(run) / value(parse[round] ?? run));
    const walls = against(({ wallS }) => wallS);
    const cpus = against(({ cpuS }) => cpuS);
    rows.push(
      line(`${form}: parse only`, parse, '1', '1'),
      line(`${form}: \`aggregateRun\``, assay, spread(walls), spread(cpus)),
    );
    const peak = megabytes(Math.max(...assay.map(({ peakBytes }) => peakBytes)));
    const wall = median(walls);
    aims.push(
      {
        what: `aggregate ${fixed(ROWS, 0)} rows, ${form}`,
        aim: '≤ 1.5 × parsing',
        measured: `${fixed(wall, 2)} ×`,
        met: wall <= 1.5,
      },
      { what: `its peak memory, ${form}`, aim: '< 512 MB', measured: `${fixed(peak, 0)} MB`, met: peak < 512 },
    );
  }
  const bytes = (form: Form) =>
    readdirSync(folders[form]).reduce((sum, name) => sum + statSync(join(folders[form], name)).size, 0);
  const note = `${fixed(ROWS, 0)} results, ${fixed(megabytes(bytes('plain')), 0)} MB plain in one file, ${fixed(megabytes(bytes('gzip')), 0)} MB in ${fixed(ROWS / ROWS_A_PART, 0)} gzip parts.`;
  for (const form of FORMS) rmSync(folders[form], { recursive: true });
  return {
    text: `${note}\n\n${table(['', 'wall s', '× parsing', 'CPU s', '× its CPU', 'rows/s', 'peak MB'], rows)}`,
    aims,
  };
};

function line(name: string, runs: readonly Usage[], wall: string, cpu: string): string[] {
  return [
    name,
    spread(runs.map(({ wallS }) => wallS)),
    wall,
    spread(runs.map(({ cpuS }) => cpuS)),
    cpu,
    fixed(ROWS / median(runs.map(({ wallS }) => wallS)), 0),
    fixed(Math.max(...runs.map(({ peakBytes }) => megabytes(peakBytes))), 0),
  ];
}

async function aggregateWith(mode: 'assay' | 'parse', folder: string, { work }: SectionContext): Promise<Usage> {
  const usage = await measure(work.aggregate, [`--mode=${mode}`, `--folder=${folder}`]);
  const { rows, passed } = JSON.parse(usage.stdout) as { rows: number; passed: number };
  if (rows !== ROWS || passed !== passedOf(ROWS)) throw new Error(`${mode} counted ${passed} of ${rows} rows`);
  return usage;
}

/** A run's results as a run writes them, multiplied: ids, latencies, scores and texts differ. */
async function writeParts(context: SectionContext): Promise<Readonly<Record<Form, string>>> {
  context.progress(`writing ${fixed(ROWS, 0)} results`);
  const { work } = context;
  const { folder } = await runAssay(work, { targetMs: 0, judgeMs: 0, concurrency: 1, rows: 1 });
  const runs = join(folder, '.assay', 'runs');
  const [name = ''] = readdirSync(runs).filter((entry) => entry.startsWith('r-'));
  const config = JSON.parse(readFileSync(join(runs, name, 'config.json'), 'utf8')) as RunConfig;
  const sample = JSON.parse(readFileSync(join(runs, name, 'results.jsonl'), 'utf8')) as RowResult;

  const folders = { gzip: join(work.path, 'parts-gzip'), plain: join(work.path, 'parts-plain') };
  for (const form of FORMS) {
    mkdirSync(folders[form]);
    writeFileSync(join(folders[form], 'config.json'), JSON.stringify({ ...config, rows: ROWS }));
  }
  const plain = createWriteStream(join(folders.plain, 'part-00000000.jsonl'));
  for (let first = 0; first < ROWS; first += ROWS_A_PART) {
    let text = '';
    for (let index = first; index < first + ROWS_A_PART; index += 1)
      text += `${JSON.stringify(variant(sample, index))}\n`;
    writeFileSync(join(folders.gzip, `part-${String(first).padStart(8, '0')}.jsonl.gz`), gzipSync(text));
    if (!plain.write(text)) await once(plain, 'drain');
  }
  await finished(plain.end());
  return folders;
}

const passedOf = (rows: number): number => rows - Math.ceil(rows / 10);

function variant(sample: RowResult, index: number): RowResult {
  const passed = index % 10 !== 0;
  return {
    ...sample,
    row_id: `row-${index}`,
    index,
    passed,
    score: passed ? 1 : 0.5,
    latency_ms: 100 + ((index * 7919) % 20_011) / 50,
    input: `Question ${index}: ${String(sample.input).slice(0, 100)}`,
    output: `${sample.output} (${(index * 2_654_435_761) % 4_294_967_296})`,
    failed_checks: passed ? [] : ['judge'],
  };
}
