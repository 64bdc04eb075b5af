import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runAssay, runBare } from '../contenders.ts';
import { wallOf } from '../measure.ts';
import { median, megabytes, spread, table } from '../numbers.ts';
import type { Section } from '../section.ts';

const ROUNDS = 9;
const ONE_ROW = { targetMs: 0, judgeMs: 0, concurrency: 4, rows: 1 };

/** What a run of one row and `--help` take, from spawn to exit. */
export const startUp: Section = async ({ work, progress }) => {
  progress('first start, nothing compiled');
  rmSync(work.compileCache, { recursive: true, force: true });
  const first = await runAssay(work, ONE_ROW);

  const oldNode = findOldNode();
  const runs = { bare: [], assay: [] } as { bare: Run[]; assay: Run[] };
  const helps = { here: [] as number[], old: [] as number[] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`round ${round} of ${ROUNDS}`);
    runs.bare.push(await runBare(work, ONE_ROW));
    runs.assay.push(await runAssay(work, ONE_ROW));
    helps.here.push((await wallOf(process.execPath, [work.assay, '--help'])).wallS);
    if (oldNode !== null) helps.old.push((await wallOf(oldNode.path, [work.assay, '--help'])).wallS);
  }
  const seconds = (values: readonly number[]) => spread(values, 3);
  const ofRuns = (name: string, of: readonly Run[]) => [
    name,
    seconds(of.map(({ wallS }) => wallS)),
    seconds(of.map(({ cpuS }) => cpuS)),
    spread(
      of.map(({ peakBytes }) => megabytes(peakBytes)),
      0,
    ),
  ];
  const rows = [
    ofRuns('bare loop, 1 row', runs.bare),
    ofRuns('`assay run`, 1 row', runs.assay),
    ofRuns('the same, first start after installing', [first]),
    ['`assay --help`', seconds(helps.here), '', ''],
    ...(oldNode === null
      ? []
      : [[`\`assay --help\` started on Node ${oldNode.version}, handed over`, seconds(helps.old), '', '']]),
  ];
  const oneRow = median(runs.assay.map(({ wallS }) => wallS));
  const help = median(oldNode === null ? helps.here : helps.old);
  return {
    text: table(['', 'wall s', 'CPU s', 'peak MB'], rows),
    aims: [
      { what: 'start-up, run of one row', aim: '< 0.3 s', measured: `${oneRow.toFixed(2)} s`, met: oneRow < 0.3 },
      {
        what: oldNode === null ? '`assay --help`' : `\`assay --help\` from Node ${oldNode.version}`,
        aim: '< 0.3 s',
        measured: `${help.toFixed(2)} s`,
        met: help < 0.3,
      },
    ],
  };
};

interface Run {
  readonly wallS: number;
  readonly cpuS: number;
  readonly peakBytes: number;
}

/** A Node on the PATH that is too old to run the tool itself. */
function findOldNode(): { readonly path: string; readonly version: string } | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'node');
    if (folder.includes('node_modules') || !existsSync(path)) continue;
    const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().slice(1);
    if (Number.parseInt(version, 10) < 22) return { path, version };
  }
  return null;
}
