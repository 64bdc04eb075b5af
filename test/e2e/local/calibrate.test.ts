import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../bench/simulations/seeded.ts';
import type { Calibration } from '../../../src/core/schemas/calibration.ts';
import { assayHere, type Ended, makeFolder, runHere, SHARED_DATA, summaryOf } from './harness.ts';

const EVAL = {
  name: 'faq',
  type: 'instruction',
  dataset: 'rows.jsonl',
  targets: [{ type: 'recorded' }],
  judge: { type: 'recorded' },
  rubric: 'Answers the question.',
  thresholds: { pass_rate: 0 },
};

/** Rows with what the judge will say, and where `human` is given what a person said. */
function rowsOf(verdicts: readonly { judge: boolean; human?: boolean }[]): Record<string, unknown>[] {
  return verdicts.map(({ judge, human }, index) => ({
    id: `row-${index}`,
    input: `q${index}`,
    output: `a${index}`,
    verdicts: { judge: { label: judge ? 'pass' : 'fail', reason: 'as recorded' } },
    ...(human === undefined ? {} : { human_label: human ? 'pass' : 'fail' }),
  }));
}

const times = (count: number, judge: boolean, human?: boolean) =>
  Array.from({ length: count }, () => ({ judge, human }));
/** κ .9, TPR 38 of 40, TNR 39 of 40. */
const GOOD_JUDGE = [
  ...times(38, true, true),
  ...times(2, false, true),
  ...times(39, false, false),
  ...times(1, true, false),
];

const calibrateHere = (folder: string, ...flags: readonly string[]): Promise<Ended> =>
  assayHere([
    'calibrate',
    join(folder, 'eval.json'),
    '--labels',
    join(folder, 'labels.jsonl'),
    '--dir',
    join(folder, '.assay'),
    ...flags,
  ]);

const calibrationOf = ({ stdout }: Ended): Calibration => JSON.parse(stdout) as Calibration;

describe('assay calibrate', () => {
  it('compares the judge with the labels and keeps what came of it', async () => {
    const folder = await makeFolder({ 'eval.json': EVAL, 'labels.jsonl': rowsOf(GOOD_JUDGE) });
    const ended = await calibrateHere(folder, '--json', '--label-policy', '2026-01');
    const calibration = calibrationOf(ended);
    expect(ended.code).toBe(0);
    expect(calibration).toMatchObject({
      metric: 'judge',
      label_policy: '2026-01',
      labels: 80,
      not_judged: 0,
      judged_only: 0,
      tpr: { rate: 0.95, n: 40 },
      tnr: { rate: 0.975, n: 40 },
      suggestion: { use: 'gate' },
    });
    expect(calibration.kappa).toBeCloseTo(0.925, 9);
    const file = join(folder, '.assay', 'calibrations', `${calibration.judge_hash}.json`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(calibration);
  });
  it('says it in words', async () => {
    const rows = [...GOOD_JUDGE, ...times(60, true), ...times(40, false)];
    const folder = await makeFolder({ 'eval.json': EVAL, 'labels.jsonl': rowsOf(rows) });
    const { stdout } = await calibrateHere(folder);
    for (const words of [
      'κ      0.925',
      'TPR    95% of 40',
      'TNR    97.5% of 40',
      'Rogan–Gladen  62.2%',
      'PPI++',
      'to gate',
    ]) {
      expect(stdout).toContain(words);
    }
  });
  it.each([
    {
      name: 'no judge',
      eval_: { ...EVAL, type: 'classification', judge: undefined, rubric: undefined },
      says: 'no judge to calibrate',
    },
    {
      name: 'a label that is none',
      rows: [{ ...rowsOf(times(1, true, true))[0], human_label: 'maybe' }],
      says: '"maybe" is no label',
    },
    { name: 'good answers only', rows: rowsOf(times(5, true, true)), says: 'people passed every labelled answer' },
    { name: 'bad answers only', rows: rowsOf(times(5, false, false)), says: 'people failed every labelled answer' },
    {
      name: 'answers that are not there',
      rows: rowsOf(times(5, true, true)).map(({ output: _, ...row }) => row),
      says: /no answer has both a human label and a verdict.*row "row-0"/s,
    },
    { name: 'no labels', rows: rowsOf(times(3, true)), says: 'no row has a human label' },
    { name: 'another metric', flags: ['--metric', 'juge'], says: 'did you mean "judge"?' },
    { name: 'a mark out of range', flags: ['--mark', '80'], says: 'between 0 and 1' },
    { name: 'a run that is none', flags: ['--run', 'r-1'], says: 'there is no run "r-1"' },
  ])('refuses $name in words', async ({ eval_ = EVAL, rows = rowsOf(GOOD_JUDGE), flags = [], says }) => {
    const folder = await makeFolder({ 'eval.json': eval_, 'labels.jsonl': rows });
    const ended = await calibrateHere(folder, ...flags);
    expect(ended.stderr).toMatch(says);
    expect(ended.code).toBe(2);
  });

  it('leaves the calibration that is kept where the labels are of no use', async () => {
    const folder = await makeFolder({ 'eval.json': EVAL, 'labels.jsonl': rowsOf(GOOD_JUDGE) });
    const kept = calibrationOf(await calibrateHere(folder, '--json'));
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(folder, 'labels.jsonl'), JSON.stringify(rowsOf(times(1, true, true))[0]));
    expect((await calibrateHere(folder)).code).toBe(2);
    const file = join(folder, '.assay', 'calibrations', `${kept.judge_hash}.json`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(kept);
  });
});

describe('require_calibration', () => {
  const gated = (min_kappa: number, max_age_days = 30) => ({
    ...EVAL,
    require_calibration: { min_kappa, max_age_days },
  });
  const prepared = async (eval_: object, rows = rowsOf(times(40, true))) => {
    const folder = await makeFolder({ 'eval.json': eval_, 'labels.jsonl': rowsOf(GOOD_JUDGE), 'rows.jsonl': rows });
    return folder;
  };

  it('refuses a judge that nobody calibrated, before it is asked', async () => {
    const ended = await runHere(await prepared(gated(0.6)));
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('never compared with human labels');
  });
  it('lets a calibrated judge gate, and corrects its rate', async () => {
    const folder = await prepared(gated(0.6), rowsOf([...times(30, true), ...times(10, false)]));
    await calibrateHere(folder);
    const ended = await runHere(folder, '--json');
    const summary = summaryOf(ended);
    expect(ended.code).toBe(0);
    expect(summary.calibration).toMatchObject({ labels: 80, corrected: { status: 'corrected', judged_rate: 0.75 } });
    // (.75 + .975 − 1) ÷ (.95 + .975 − 1)
    expect(summary.calibration?.corrected.rate).toBeCloseTo(0.725 / 0.925, 9);
    expect(summary.decision.reasons.map(({ rule }) => rule)).toContain('require_calibration.min_kappa');
  });
  it('refuses a judge that agrees too little', async () => {
    const folder = await prepared(gated(0.95));
    await calibrateHere(folder);
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('0.925 is below 0.95');
  });
  it('refuses a stale calibration', async () => {
    const folder = await prepared(gated(0.6));
    const calibration = calibrationOf(await calibrateHere(folder, '--json'));
    const { writeFile } = await import('node:fs/promises');
    const old = { ...calibration, date: '2020-01-01T00:00:00.000Z' };
    await writeFile(join(folder, '.assay', 'calibrations', `${calibration.judge_hash}.json`), JSON.stringify(old));
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/age of the judge.s calibration \d+ days is above 30 days/);
  });
  it('refuses a calibration dated ahead, which would never grow old, and calibrating again says why it is not replaced', async () => {
    const folder = await prepared(gated(0.6));
    const calibration = calibrationOf(await calibrateHere(folder, '--json'));
    const { writeFile } = await import('node:fs/promises');
    const ahead = { ...calibration, date: '2999-01-01T00:00:00.000Z' };
    const file = join(folder, '.assay', 'calibrations', `${calibration.judge_hash}.json`);
    await writeFile(file, JSON.stringify(ahead));
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/calibration is dated \d+ days after the run began/);
    const again = await calibrateHere(folder);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('holds a calibration of a later time');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ahead);
  });
  it('refuses a judge that agrees fully over a handful of labels', async () => {
    const folder = await makeFolder({
      'eval.json': gated(0.6),
      'labels.jsonl': rowsOf([...times(1, true, true), ...times(1, false, false)]),
      'rows.jsonl': rowsOf(times(4, true)),
    });
    expect((await calibrateHere(folder)).code).toBe(0);
    const ended = await runHere(folder);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('κ of 1 good and 1 bad labelled answers says nothing of the judge');
  });
  it('is of another judge once the rubric changes', async () => {
    const folder = await prepared({ ...gated(0.6), rubric: 'Another one.' });
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(folder, 'eval.json'), JSON.stringify(EVAL));
    await calibrateHere(folder);
    await writeFile(join(folder, 'eval.json'), JSON.stringify({ ...gated(0.6), rubric: 'Another one.' }));
    expect((await runHere(folder)).stderr).toContain('never compared');
  });
  it('is an error when the judge drifted: nothing could make that judge fail all', async () => {
    const folder = await makeFolder({
      'eval.json': gated(0.1),
      // Fails 20 of 40 good answers and passes 20 of 60 bad ones: no answers make it pass none at all.
      'labels.jsonl': rowsOf([
        ...times(30, true, true),
        ...times(10, false, true),
        ...times(20, true, false),
        ...times(40, false, false),
      ]),
      'rows.jsonl': rowsOf(times(200, false)),
    });
    await calibrateHere(folder);
    const ended = await runHere(folder, '--json');
    expect(ended.code).toBe(2);
    expect(summaryOf(ended)).toMatchObject({ gate: 'error', calibration: { corrected: { status: 'judge_drift' } } });
    expect(summaryOf(ended).message).toContain('drifted');
  });
});

const HALUEVAL = join(SHARED_DATA, 'halueval-qa', 'qa_one_turn.jsonl');

describe.skipIf(!existsSync(HALUEVAL))('HaluEval: recorded judges of known error rates', () => {
  interface Question {
    readonly question: string;
    readonly knowledge: string;
    readonly right_answer: string;
    readonly hallucinated_answer: string;
  }
  const questions = (): Question[] =>
    readFileSync(HALUEVAL, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Question);

  it.each([
    { judge: 'a good one', sensitivity: 0.95, specificity: 0.92, seed: 11 },
    { judge: 'a lenient one', sensitivity: 0.97, specificity: 0.7, seed: 12 },
    { judge: 'a strict one', sensitivity: 0.75, specificity: 0.95, seed: 13 },
  ])('κ, TPR, TNR and the corrected rates of $judge recover the truth', async ({ sensitivity, specificity, seed }) => {
    const random = seeded(seed);
    // 500 questions, each answered rightly with chance .6; people labelled the first 300.
    let rightUnlabelled = 0;
    const rows = questions().map(({ question, knowledge, right_answer, hallucinated_answer }, index) => {
      const isRight = random() < 0.6;
      const isPassed = random() < (isRight ? sensitivity : 1 - specificity);
      const isLabelled = index < 300;
      if (!isLabelled && isRight) rightUnlabelled += 1;
      return {
        input: question,
        contexts: [knowledge],
        output: isRight ? right_answer : hallucinated_answer,
        verdicts: { judge: { label: isPassed ? 'pass' : 'fail', reason: 'as drawn' } },
        ...(isLabelled ? { human_label: isRight } : {}),
      };
    });
    const folder = await makeFolder({ 'eval.json': EVAL, 'labels.jsonl': rows });
    const calibration = calibrationOf(await calibrateHere(folder, '--json'));
    expect(calibration).toMatchObject({ labels: 300, judged_only: 200 });
    const holds = (interval: readonly [number, number] | null, truth: number) => {
      expect(interval?.[0]).toBeLessThanOrEqual(truth);
      expect(interval?.[1]).toBeGreaterThanOrEqual(truth);
    };
    holds(calibration.tpr.ci95, sensitivity);
    holds(calibration.tnr.ci95, specificity);
    holds(calibration.corrected.rogan_gladen.ci95, rightUnlabelled / 200);
    holds(calibration.corrected.ppi.ci95, rightUnlabelled / 200);
    // κ of a judge with these rates where 60 % are right: chance agreement p_e from the margins.
    const passes = 0.6 * sensitivity + 0.4 * (1 - specificity);
    const agree = 0.6 * sensitivity + 0.4 * specificity;
    const chance = 0.6 * passes + 0.4 * (1 - passes);
    const kappa = (agree - chance) / (1 - chance);
    // Standard error of κ, simple form: √(p_o(1 − p_o) ÷ n) ÷ (1 − p_e).
    const error = Math.sqrt((agree * (1 - agree)) / 300) / (1 - chance);
    expect(Math.abs((calibration.kappa ?? 0) - kappa)).toBeLessThanOrEqual(1.96 * error);
  });
});
if (!existsSync(HALUEVAL)) console.log(`HaluEval: skipped, there is no ${HALUEVAL} (ASSAY_SHARED names another place)`);
