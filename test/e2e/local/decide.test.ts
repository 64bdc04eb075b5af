import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RedecidedRun } from '../../../src/core/schemas/redecided-run.ts';
import { assayHere, makeFolder, numberedRows, readJson, runHere, summaryOf } from './harness.ts';

/** Forty rows, of which the last four are answered wrongly. */
const rows = numberedRows(40).map((row, index) => ({ ...row, output: index < 36 ? row.expected : 'no idea' }));
const EVAL = { name: 'faq', type: 'classification', dataset: 'rows.jsonl', targets: [{ type: 'recorded' }] };

async function finishedRun(policies: Record<string, unknown> = {}) {
  const folder = await makeFolder({ 'eval.json': EVAL, 'rows.jsonl': rows, ...policies });
  const { run_id } = summaryOf(await runHere(folder, '--json'));
  const decide = (...flags: string[]) => assayHere(['decide', run_id, '--dir', join(folder, '.assay'), ...flags]);
  return { folder, run_id, decide, policy: (name: string) => ['--policy', join(folder, name)] };
}

describe('assay decide', () => {
  it('decides as before under the run’s own policy, byte for byte', async () => {
    const { decide, folder, run_id } = await finishedRun();
    const ended = await decide('--json');
    expect(ended.code).toBe(1);
    const { decision, changed } = JSON.parse(ended.stdout) as RedecidedRun;
    expect(JSON.stringify(decision)).toBe(JSON.stringify(readJson(folder, run_id, 'summary.json').decision));
    expect(changed.gate).toBe(false);
  });
  it('passes under a lower threshold, exits as the gate, and notes the policy', async () => {
    const { decide, policy, folder, run_id } = await finishedRun({ 'p.yaml': 'thresholds: {pass_rate: 0.9}\n' });
    const ended = await decide(...policy('p.yaml'));
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('pass_rate: 1 → 0.9');
    expect(ended.stdout).toContain('gate: PASS, it was FAIL');
    // The stored decision stands.
    expect(readJson(folder, run_id, 'summary.json').gate).toBe('fail');
    const notes = readFileSync(join(folder, '.assay', 'runs', run_id, 'decisions.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(notes.map((line) => JSON.parse(line))).toMatchObject([
      { gate: 'pass', policy_hash: expect.stringMatching(/^[0-9a-f]{64}$/), policy: { pass_rate: 0.9 } },
    ]);
  });
  it.each([
    // 36 of 40: Wilson 76.9 % to 96.0 %.
    { pass_rate: 0.75, on_inconclusive: 'fail', code: 0 },
    { pass_rate: 0.85, on_inconclusive: 'fail', code: 1 },
    { pass_rate: 0.85, on_inconclusive: 'pass', code: 0 },
    { pass_rate: 0.85, on_inconclusive: 'error', code: 2 },
    { pass_rate: 0.97, on_inconclusive: 'pass', code: 1 },
  ])(
    'by interval, $pass_rate ends with $code where inconclusive is $on_inconclusive',
    async ({ pass_rate, on_inconclusive, code }) => {
      const file = { thresholds: { pass_rate }, decide_by: 'interval', margin: 0.03, on_inconclusive };
      const { decide, policy } = await finishedRun({ 'p.json': file });
      expect((await decide(...policy('p.json'))).code).toBe(code);
    },
  );
  it('prints the policy in force, which decides as before', async () => {
    const { decide, folder, run_id } = await finishedRun();
    const printed = await decide('--print-policy');
    expect(printed.code).toBe(0);
    expect(printed.stdout).toMatch(/^# Policy [0-9a-f]{12} of run r-.*\nthresholds:\n {2}pass_rate: 1\n/);
    writeFileSync(join(folder, 'printed.yaml'), printed.stdout);
    const again = await decide('--json', '--policy', join(folder, 'printed.yaml'));
    const { decision, changed } = JSON.parse(again.stdout) as RedecidedRun;
    expect(JSON.stringify(decision)).toBe(JSON.stringify(readJson(folder, run_id, 'summary.json').decision));
    expect(changed.policy).toEqual([]);
    expect((await decide('--print-policy', '--policy', join(folder, 'printed.yaml'))).code).toBe(2);
  });
  it('names file, line and field of a fault', async () => {
    const { decide, policy } = await finishedRun({ 'p.yaml': 'thresholds:\n  pass_rat: 0.9\n' });
    const ended = await decide(...policy('p.yaml'));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(
      /p\.yaml, line 2, field thresholds\.pass_rat: unknown key "pass_rat" \(did you mean "pass_rate"\?\)/,
    );
  });
  it('refuses a threshold that the type does not take', async () => {
    const { decide, policy } = await finishedRun({ 'p.yaml': 'thresholds: {min_tool_score: 0.9}\n' });
    const ended = await decide(...policy('p.yaml'));
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/p\.yaml, line 1, .*min_tool_score does not belong to an eval of type classification/);
  });
  it.each(['r-1', '../..', 'r-00000000000000000000000000'])('there is no run %j', async (id) => {
    const ended = await assayHere(['decide', id]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/there is no run|is no run id/);
  });
});

describe('assay plan', () => {
  it('tells what a run would take, and runs nothing', async () => {
    const folder = await makeFolder({ 'eval.json': EVAL, 'rows.jsonl': rows });
    const ended = await assayHere(['plan', join(folder, 'eval.json'), '--dir', join(folder, '.assay')]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('rows    40');
    expect(ended.stdout).toContain('at 40 rows a drop below 13 points cannot be seen');
  });
  it('measures on a sample and keeps no run', async () => {
    const folder = await makeFolder({ 'eval.json': EVAL, 'rows.jsonl': rows });
    const dir = join(folder, '.assay');
    const ended = await assayHere(['plan', join(folder, 'eval.json'), '--dir', dir, '--sample', '10', '--json']);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      rows: 40,
      tokens: { basis: 'measured' },
      time: { basis: 'sample' },
    });
    expect((await assayHere(['plan', join(folder, 'eval.json'), '--dir', dir])).stdout).toContain('assumed');
  });
  it('refuses an eval that would not run', async () => {
    const folder = await makeFolder({ 'eval.json': { ...EVAL, type: 'qa' }, 'rows.jsonl': rows });
    const ended = await assayHere(['plan', join(folder, 'eval.json')]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('judge');
  });
});
