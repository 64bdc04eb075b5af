import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ApiPorts } from '../../../../lambdas/api/ports.ts';
import { parseEval } from '../../../../src/core/config/parse-eval.ts';
import { aResult } from '../../../contracts/samples.ts';
import { finishedRun, runConfig } from '../../../report/finished-run.ts';
import { csv, evalNamed, LINK_KEY, SECRET, START_MS, TestApi, TOKEN } from '../api.ts';

/** Stands in every text of the other project. */
export const SENTINEL = 'zq7-of-bank-only';
const BANK_SECRET = 'bank-webhook-secret-B2';

/** Names of things that exist. */
export interface Ids {
  readonly project: string;
  readonly qualified: string;
  readonly finished: string;
  readonly pending: string;
  readonly gate: string;
  readonly upload: string;
  readonly token: string;
  readonly cursor: string;
}

export interface World {
  readonly api: TestApi;
  readonly shop: Ids;
  readonly bank: Ids | null;
  readonly tokens: { readonly owner: string; readonly writer: string; readonly reader: string };
  /** What no answer may hold. */
  readonly secrets: readonly string[];
}

/** Two projects with the same things in them, or one; the first is the same to the byte in both worlds. */
export async function makeWorld({
  withBank,
  changes,
}: {
  withBank: boolean;
  changes?: Partial<ApiPorts>;
}): Promise<World> {
  let count = 0;
  const randomBytes = (length: number) => {
    count += 1;
    return createHash('sha256').update(String(count)).digest().subarray(0, length);
  };
  const api = new TestApi({ randomBytes, ...changes });
  const { registry, parts, rowIndex } = { ...api, ...changes };
  const stores = { registry, parts, rowIndex, runs: changes?.runs ?? (() => api.files) };
  await api.systemSecrets.putReportLinks({ current: LINK_KEY });
  const shop = await fillProject(api, stores, 'shop', SECRET, 'plain');
  const writer = await tokenOf(api, 'writer', 'write', 'shop');
  const reader = await tokenOf(api, 'reader', 'read', 'shop');
  count = 100;
  const bank = withBank ? await fillProject(api, stores, 'bank', BANK_SECRET, SENTINEL) : null;
  // Whatever was made of before, what is made from now on has the same ids.
  count = 200;
  const tokens = { owner: TOKEN, writer: writer.token, reader: reader.token };
  const secrets = [SECRET, BANK_SECRET, LINK_KEY, TOKEN, writer.token, reader.token];
  return { api, shop: { ...shop, token: reader.id }, bank, tokens, secrets };
}

type Stores = Pick<ApiPorts, 'registry' | 'parts' | 'rowIndex' | 'runs'>;

async function tokenOf(api: TestApi, name: string, access: 'read' | 'write', project: string) {
  const { json } = await api.manage('POST', '/api/tokens', { name, access, projects: [project] });
  return json as { token: string; id: string };
}

async function fillProject(api: TestApi, stores: Stores, project: string, secret: string, mark: string): Promise<Ids> {
  await api.manage('POST', '/api/projects', { id: project, name: `${project} ${mark}` });
  await api.systemSecrets.putWebhook(project, { current: secret });
  await api.upload(project, { file: csv(`input,expected\nHi ${mark},Hello\nBye,${mark}\n`), name: 'faq' });
  const config = evalNamed('faq', { description: mark, tags: [mark], metadata: { mark } });
  await api.manage('POST', `/api/evals/project/${project}`, config);
  const start = async () => {
    const headers = { 'x-webhook-secret': secret };
    const { json } = await api.call('POST', `/api/runs/webhook/${project}`, { headers });
    return { run: json.runs[0].run_id as string, gate: json.gate_run_id as string };
  };
  const finished = await start();
  await endRun(finished.run, mark, project, stores);
  const run = await stores.registry.getRun(finished.run);
  const results = [0, 1, 2].map((index) =>
    aResult(index, { run_id: finished.run, project, output: `answer ${mark}`, passed: index > 0 }),
  );
  const ref = { runId: finished.run, project, startedAt: run?.started_at ?? '' };
  await stores.rowIndex.put(finished.run, await stores.parts.write(ref, 0, results), results);
  api.reports.set(finished.run, { html: `<h1>${mark}</h1>` });
  api.reports.set(`${finished.run} junit.xml`, { html: `<testsuites name="${mark}"/>` });
  await api.manage('PUT', `/api/evals/${project}.faq/baseline`, { run_id: finished.run, note: mark });
  const pending = await start();
  const { json: upload } = await api.manage('POST', `/api/datasets/project/${project}/uploads`, {
    name: 'big.csv',
    size: 12,
  });
  if (upload.parts[0].url.startsWith('http'))
    await fetch(upload.parts[0].url, { method: 'PUT', body: `input\n${mark}`.slice(0, 12).padEnd(12) });
  else api.datasets.putPart(upload.parts[0].url, Buffer.from('input\nHi you'));
  const { json: page } = await api.manage('GET', `/api/datasets/runs/${finished.run}/results`, undefined, {
    query: 'limit=1',
  });
  const { json: token } = await api.manage('POST', '/api/tokens', { name: mark, projects: [project] });
  return {
    project,
    qualified: `${project}.faq`,
    finished: finished.run,
    pending: pending.run,
    gate: pending.gate,
    upload: upload.upload_id,
    token: token.id,
    cursor: page.cursor ?? '',
  };
}

/** As its last state would have left it. */
async function endRun(runId: string, message: string, project: string, { runs, registry }: Stores): Promise<void> {
  const files = runs(project);
  const summary = finishedRun({ run_id: runId, project, status: 'passed', eval: 'faq', message });
  const config = { ...runConfig(), eval: parseEval(evalNamed('faq')), run_id: runId, project };
  await files.write(runId, 'config.json', JSON.stringify(config));
  await files.write(runId, 'summary.json', JSON.stringify(summary));
  const outcomes = [true, false].map((passed, index) =>
    JSON.stringify({
      row_id: `row-${index}`,
      content: 'c'.repeat(16),
      status: 'scored',
      passed,
      score: Number(passed),
    }),
  );
  await files.write(runId, 'outcomes.jsonl.gz', gzipSync(`${outcomes.join('\n')}\n`));
  await registry.updateRun(runId, ['queued', 'running'], {
    status: 'passed',
    score: 1,
    pass_rate: 1,
    message,
    decision: { outcome: 'pass', policy_hash: 'a'.repeat(64), reasons: [] },
  });
}

/** A link to a file of a run as the app signs it. */
export function signedQuery(path: string, atMs = START_MS): string {
  const expires = String(Math.floor(atMs / 1_000) + 86_400);
  const signature = createHmac('sha256', LINK_KEY).update(`assay link v1\nGET ${path}\n${expires}`).digest('base64url');
  return `expires=${expires}&signature=${signature}`;
}
