import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure, type Usage } from './measure.ts';
import { writeDataset } from './rows.ts';
import { type Latency, withStub } from './stub-server.ts';
import type { WorkFolder } from './work-folder.ts';

export interface Setting extends Latency {
  readonly rows: number;
  readonly concurrency: number;
}

export interface Measured extends Usage {
  readonly mostInFlight: number;
  readonly sockets: number;
}

export interface MeasuredRun extends Measured {
  /** Where it ran; the run lies in its `.assay`. */
  readonly folder: string;
  /** All that the run left on disk. */
  readonly diskBytes: number;
  readonly resultBytes: number;
}

/** The bare `fetch` loop. */
export async function runBare(work: WorkFolder, setting: Setting): Promise<Measured> {
  const dataset = writeDataset(work.path, setting.rows);
  return withStub(work.stub, setting, setting.rows, (url) =>
    measure(work.bareLoop, [`--dataset=${dataset}`, `--url=${url}`, `--concurrency=${setting.concurrency}`]),
  );
}

/** `assay run` as users start it: HTTP target, judge behind an OpenAI-compatible server, everything written. */
export async function runAssay(work: WorkFolder, setting: Setting): Promise<MeasuredRun> {
  const dataset = writeDataset(work.path, setting.rows);
  const folder = mkdtempSync(join(work.path, 'project-'));
  const run = await withStub(work.stub, setting, setting.rows, (url) => {
    writeFileSync(join(folder, 'eval.yaml'), evalFile(url, dataset, setting));
    return measure(work.assay, ['run', 'eval.yaml', '--json', '--quiet'], folder);
  });
  const { counts, gate } = JSON.parse(run.stdout) as { counts: { passed: number }; gate: string };
  if (counts.passed !== setting.rows || gate !== 'pass')
    throw new Error(`${counts.passed} of ${setting.rows} rows passed, gate ${gate}`);
  return { ...run, folder, diskBytes: bytesIn(folder), resultBytes: bytesIn(folder, 'results.jsonl') };
}

function evalFile(url: string, dataset: string, { concurrency }: Setting): string {
  return `name: bench
type: qa
dataset: ${dataset}
target:
  type: http
  url: ${url}/answer
  body_template: { question: "{{input}}" }
  response_path: answer
judge: { type: openai, url: ${url}/v1, model: stub }
canaries: false
concurrency: ${concurrency}
time_budget_s: 100000
thresholds: { min_score: 0.8 }
`;
}

function bytesIn(folder: string, name?: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && (name === undefined || entry.name === name))
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
