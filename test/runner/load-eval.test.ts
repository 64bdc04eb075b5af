import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EvalOverrides, loadEval } from '../../src/runner/load-eval.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-load-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const EVAL = `name: faq
type: metrics
dataset: data/faq.v2.csv.gz
targets: [{ url: https://api.example.com/answer }]
judge: { type: lexical }
trials: 2
`;

function load(overrides: EvalOverrides = {}, text = EVAL) {
  writeFileSync(join(folder, 'eval.yaml'), text);
  return loadEval(join(folder, 'eval.yaml'), overrides);
}

describe('loadEval', () => {
  it('finds the dataset beside the eval and names it by its file', async () => {
    const loaded = await load();
    expect(loaded.datasetPath).toBe(join(folder, 'data', 'faq.v2.csv.gz'));
    expect(loaded.datasetId).toBe('faq.v2');
    expect((await load({}, EVAL.replace('data/', '/srv/'))).datasetPath).toBe('/srv/faq.v2.csv.gz');
  });

  it('puts flags over the file', async () => {
    const { config } = await load({
      trials: 3,
      concurrency: 9,
      sampleSize: 5,
      timeBudgetS: 60,
      baseline: 'none',
      judges: [],
    });
    expect(config).toMatchObject({
      trials: 3,
      concurrency: 9,
      sample_size: 5,
      time_budget_s: 60,
      baseline: 'none',
      judges: [],
    });
    expect((await load()).config).toMatchObject({ trials: 2, judges: [{ type: 'lexical' }] });
  });

  it('holds flags to the rules of the file', async () => {
    await expect(load({ trials: 101 })).rejects.toThrow(/field trials: /);
    await expect(load({ concurrency: 0 })).rejects.toThrow(/field concurrency: /);
  });

  it('locates faults in the file, and not those of flags', async () => {
    const loaded = await load({ baseline: 'r-1' });
    const file = join(folder, 'eval.yaml');
    expect(loaded.locate({ field: 'targets.0.url', message: 'x' })).toEqual({
      file,
      line: 4,
      field: 'targets.0.url',
      message: 'x',
    });
    expect(loaded.locate({ field: 'rubric', message: 'x' })).toEqual({ file, field: 'rubric', message: 'x' });
    expect(loaded.locate({ field: 'baseline', message: 'x' })).toEqual({ field: 'baseline', message: 'x' });
    expect(loaded.locate({ file: 'other', message: 'x' })).toEqual({ file: 'other', message: 'x' });
  });
});
