import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { table } from './numbers.ts';
import type { Aim, Section, SectionResult } from './section.ts';
import { aggregator } from './sections/aggregator.ts';
import { growth } from './sections/growth.ts';
import { load } from './sections/load.ts';
import { overhead, slowOverhead } from './sections/overhead.ts';
import { startUp } from './sections/start-up.ts';
import { openWorkFolder } from './work-folder.ts';

interface Entry {
  readonly title: string;
  readonly run: Section;
  /** Only in full, and beside the others: it takes 20 minutes and next to no processor time. */
  readonly alongside?: true;
}

const SECTIONS: Readonly<Record<string, Entry>> = {
  'start-up': { title: 'Start-up', run: startUp },
  overhead: { title: 'Overhead against a bare loop', run: overhead },
  slow: { title: 'Overhead with few rows in flight', run: slowOverhead, alongside: true },
  growth: { title: 'As rows grow', run: growth },
  aggregator: { title: 'Aggregating', run: aggregator },
  load: { title: 'The deployed app on one machine', run: load },
};
const HELP = `npm run bench                     everything but the longest, a few minutes
npm run bench -- --full           all settings, 25 minutes
npm run bench -- --only=growth    some sections: ${Object.keys(SECTIONS).join(', ')}
npm run bench -- --write          put the result into bench/README.md, too
`;

const { values } = parseArgs({
  options: {
    full: { type: 'boolean' },
    write: { type: 'boolean' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help === true) process.stdout.write(HELP);
else await bench(values.only?.split(',') ?? Object.keys(SECTIONS));

async function bench(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !(name in SECTIONS));
  if (unknown !== undefined) throw new Error(`no section "${unknown}"\n${HELP}`);
  const startedAt = new Date();
  const busyBefore = loadavg()[0] ?? 0;
  const work = await openWorkFolder();
  const results: Promise<SectionResult>[] = [];
  const entries = names.flatMap((name) => SECTIONS[name] ?? []).filter(({ alongside }) => !alongside || values.full);
  let last: Promise<unknown> = Promise.resolve();
  let done: readonly SectionResult[];
  try {
    for (const { title, run, alongside } of entries) {
      const progress = (text: string) => process.stderr.write(`${title}: ${text}\n`);
      const start = () => run({ work, full: values.full === true, progress });
      const result = alongside === true ? start() : last.then(start);
      if (alongside !== true) last = result;
      results.push(result);
    }
    done = await Promise.all(results);
  } finally {
    work.remove();
  }
  const aims = done.flatMap((result) => result.aims);
  const texts = done.map((result, at) => `### ${entries[at]?.title}\n\n${result.text}`);
  const minutes = Math.round((Date.now() - startedAt.getTime()) / 60_000);
  const about = `${machine()}. ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${minutes} min; load average ${busyBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} at the end.`;
  const text = [about, `### Aims\n\n${aimTable(aims)}`, ...texts].join('\n\n');
  process.stdout.write(`${text}\n`);
  if (values.write === true) writeReadme(text);
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model.trim() ?? arch()}, ${memory} GiB, ${platform()} ${release()}, Node ${process.versions.node}, undici ${versionOf('undici')}`;
}

function versionOf(name: string): string {
  const manifest = readFileSync(fileURLToPath(import.meta.resolve(`${name}/package.json`)), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function aimTable(aims: readonly Aim[]): string {
  const rows = aims.map(({ what, aim, measured, met }) => [what, aim, measured, met ? 'met' : '**missed**']);
  return table(['what', 'aim', 'measured', ''], rows);
}

function writeReadme(text: string): void {
  const path = fileURLToPath(new URL('./README.md', import.meta.url));
  const [before, after] = readFileSync(path, 'utf8').split(/<!-- measured -->[\s\S]*<!-- end -->/);
  if (before === undefined || after === undefined) throw new Error(`${path} has no place for the result`);
  writeFileSync(path, `${before}<!-- measured -->\n${text}\n<!-- end -->${after}`);
}
