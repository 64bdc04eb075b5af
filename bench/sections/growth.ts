import { type MeasuredRun, runAssay } from '../contenders.ts';
import { fixed, median, megabytes, table } from '../numbers.ts';
import type { Section } from '../section.ts';

const ROWS = [1_000, 10_000, 100_000] as const;
const STARTS = 3;
const SETTING = { targetMs: 0, judgeMs: 0, concurrency: 50 };

/** Memory, processor time a row and disk as rows grow a hundredfold. */
export const growth: Section = async ({ work, progress }) => {
  progress('start-up, to be taken off');
  const starts: number[] = [];
  for (let round = 0; round < STARTS; round += 1) starts.push((await runAssay(work, { ...SETTING, rows: 1 })).cpuS);
  const startS = median(starts);

  const measured: { readonly rows: number; readonly run: MeasuredRun; readonly cpuMs: number }[] = [];
  for (const rows of ROWS) {
    progress(`${fixed(rows, 0)} rows`);
    const run = await runAssay(work, { ...SETTING, rows });
    measured.push({ rows, run, cpuMs: ((run.cpuS - startS) / (rows - 1)) * 1000 });
  }
  const text = table(
    [
      'rows (0 ms, c=50)',
      'wall s',
      'CPU ms a row above start-up',
      'peak MB',
      'disk MB',
      'of it results.jsonl',
      'bytes a row',
    ],
    measured.map(({ rows, run, cpuMs }) => [
      fixed(rows, 0),
      fixed(run.wallS, 1),
      fixed(cpuMs, 2),
      fixed(megabytes(run.peakBytes), 0),
      fixed(megabytes(run.diskBytes), 1),
      fixed(megabytes(run.resultBytes), 1),
      fixed(run.diskBytes / rows, 0),
    ]),
  );
  const [least] = measured;
  const most = measured.at(-1);
  if (least === undefined || most === undefined) throw new Error('nothing was measured');
  const peak = megabytes(most.run.peakBytes);
  const overResults = most.run.diskBytes / most.run.resultBytes;
  return {
    text,
    aims: [
      { what: 'peak memory, 100,000 rows', aim: '< 250 MB', measured: `${fixed(peak, 0)} MB`, met: peak < 250 },
      {
        what: 'CPU a row, 100,000 rows',
        aim: 'no more than at 1,000',
        measured: `${fixed(most.cpuMs, 2)} ms, ${fixed(least.cpuMs, 2)} ms at 1,000`,
        met: most.cpuMs <= least.cpuMs,
      },
      {
        what: 'disk, 100,000 rows',
        aim: 'no more than the results',
        measured: `${fixed(overResults, 2)} × results.jsonl`,
        met: overResults <= 1,
      },
    ],
  };
};
