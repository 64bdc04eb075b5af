import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../bench/simulations/seeded.ts';
import { calibrationOf, evidenceOf } from '../../../src/core/calibration/calibration-of.ts';
import { correctRate } from '../../../src/core/calibration/corrected-rate.ts';
import { calibrationFacts } from '../../../src/core/calibration/run-calibration.ts';
import {
  type CalibrationInput,
  type LabelledAnswer,
  tallyAnswers,
} from '../../../src/core/calibration/tally-answers.ts';
import { CalibrationEvidenceSchema } from '../../../src/core/schemas/calibration.ts';
import { meets } from '../../../src/core/scoring/meets.ts';
import { EVIDENCE } from '../../contracts/calibrations.ts';

const calibrate = (input: CalibrationInput) => calibrationOf({ ...EVIDENCE, mark: input.mark, ...tallyAnswers(input) });

/** So many answers that people passed or failed and the judge passed or failed. */
function answers(counts: {
  bothPass: number;
  bothFail: number;
  onlyHuman: number;
  onlyJudge: number;
}): LabelledAnswer[] {
  const of = (count: number, human: number, judged: number): LabelledAnswer[] =>
    Array.from({ length: count }, () => ({ human: { value: human, level: human }, judged, level: judged }));
  return [
    ...of(counts.bothPass, 1, 1),
    ...of(counts.bothFail, 0, 0),
    ...of(counts.onlyHuman, 1, 0),
    ...of(counts.onlyJudge, 0, 1),
  ];
}

const with_ = (labelled: readonly LabelledAnswer[], judgedOnly: readonly number[] = []) =>
  calibrate({ labelled, judgedOnly, mark: 0.5, scale: null });

describe('a judge beside human labels', () => {
  it('has the golden κ, and the rates of its table', () => {
    const figures = with_(answers({ bothPass: 20, onlyHuman: 5, onlyJudge: 10, bothFail: 15 }));
    expect(figures.kappa).toBeCloseTo(0.4, 9);
    expect(figures).toMatchObject({
      labels: 50,
      agreement: 0.7,
      tpr: { rate: 0.8, n: 25 },
      tnr: { rate: 0.6, n: 25 },
      human_pass_rate: 0.5,
      judged_pass_rate: 0.6,
      confusion: {
        labels: ['fail', 'pass'],
        counts: [
          [15, 10],
          [5, 20],
        ],
      },
      weights: 'plain',
    });
  });
  it('agrees 90 % of the time and is worth nothing on a skewed set', () => {
    const figures = with_(answers({ bothPass: 90, onlyHuman: 5, onlyJudge: 5, bothFail: 0 }));
    expect(figures.kappa).toBeCloseTo(-0.052632, 6);
    expect(figures.suggestion.use).toBe('none');
  });
  it('weighs the distance on an ordered scale', () => {
    const counts = [
      [20, 5, 1],
      [4, 15, 3],
      [0, 2, 10],
    ];
    const labelled = counts.flatMap((row, human) =>
      row.flatMap((count, judge) =>
        Array.from({ length: count }, () => ({
          human: { value: human / 2, level: human },
          judged: judge / 2,
          level: judge,
        })),
      ),
    );
    const figures = calibrate({
      labelled,
      judgedOnly: [],
      mark: 0.5,
      scale: ['incorrect', 'partially correct', 'correct'],
    });
    expect(figures.kappa).toBeCloseTo(0.747664, 6);
    expect(figures).toMatchObject({ weights: 'quadratic', confusion: { counts } });
  });
  it('falls back to pass and fail where a label is not of the scale', () => {
    const labelled = [
      { human: { value: 1, level: null }, judged: 1, level: 2 },
      ...answers({ bothPass: 1, bothFail: 1, onlyHuman: 0, onlyJudge: 0 }),
    ];
    expect(calibrate({ labelled, judgedOnly: [], mark: 0.5, scale: ['a', 'b', 'c'] }).weights).toBe('plain');
  });
  it.each([
    { name: 'no label', counts: { bothPass: 0, bothFail: 0, onlyHuman: 0, onlyJudge: 0 } },
    { name: 'good answers only', counts: { bothPass: 40, bothFail: 0, onlyHuman: 0, onlyJudge: 0 } },
  ])('is unknown from $name, not perfect', ({ counts }) => {
    const figures = with_(answers(counts));
    expect(figures.kappa).toBeNull();
    expect(figures.suggestion.use).toBe('none');
    expect(figures.corrected.rogan_gladen.status).toBe('unknown');
  });
  it('may gate when it is good and the labels are many', () => {
    expect(with_(answers({ bothPass: 60, bothFail: 50, onlyHuman: 2, onlyJudge: 2 })).suggestion.use).toBe('gate');
    expect(with_(answers({ bothPass: 10, bothFail: 10, onlyHuman: 0, onlyJudge: 0 })).suggestion.use).toBe('review');
    const few = with_(answers({ bothPass: 9, bothFail: 40, onlyHuman: 0, onlyJudge: 0 })).suggestion;
    expect(few).toMatchObject({ use: 'none', text: expect.stringContaining('9 good answers are too few labels') });
    expect(with_(answers({ bothPass: 60, bothFail: 30, onlyHuman: 2, onlyJudge: 15 })).suggestion.use).toBe(
      'corrected',
    );
  });
});

describe('counts are all that is needed', () => {
  it('what is stored gives the same figures again', () => {
    const figures = with_(answers({ bothPass: 60, bothFail: 30, onlyHuman: 2, onlyJudge: 15 }), [0, 1, 1]);
    expect(calibrationOf(evidenceOf(figures))).toEqual(figures);
  });

  it('passes and failures of a scale are those of its answers, at any mark', () => {
    const level = fc.integer({ min: 0, max: 4 });
    const mark = fc.oneof(fc.constantFrom(0, 0.25, 0.5, 0.75, 1), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.array(fc.tuple(level, level), { minLength: 1, maxLength: 60 }), mark, (pairs, at) => {
        const labelled = pairs.map(([human, judge]) => ({
          human: { value: human / 4, level: human },
          judged: judge / 4,
          level: judge,
        }));
        const { tpr, tnr, human_pass_rate } = calibrate({
          labelled,
          judgedOnly: [],
          mark: at,
          scale: ['a', 'b', 'c', 'd', 'e'],
        });
        const good = labelled.filter(({ human }) => meets(human.value, at));
        const bad = labelled.filter(({ human }) => !meets(human.value, at));
        expect(tpr).toMatchObject({ n: good.length });
        expect(tnr).toMatchObject({ n: bad.length });
        expect(human_pass_rate).toBeCloseTo(good.length / labelled.length, 12);
        if (good.length > 0) {
          expect(tpr.rate).toBeCloseTo(good.filter(({ judged }) => meets(judged, at)).length / good.length, 12);
        }
      }),
    );
  });

  it.each([
    { name: 'a κ that is told', more: { kappa: 1 } },
    { name: 'a table that is not square', more: { confusion: { labels: ['fail', 'pass'], counts: [[1, 2], [3]] } } },
    {
      name: 'labels without counts',
      more: {
        confusion: {
          labels: ['a', 'b', 'c'],
          counts: [
            [1, 2],
            [3, 4],
          ],
        },
      },
    },
    {
      name: 'half an answer',
      more: {
        confusion: {
          labels: ['fail', 'pass'],
          counts: [
            [1, 2],
            [3, 0.5],
          ],
        },
      },
    },
    {
      name: 'fewer than no answers',
      more: {
        confusion: {
          labels: ['fail', 'pass'],
          counts: [
            [1, 2],
            [3, -1],
          ],
        },
      },
    },
    {
      name: 'more answers than anybody labels',
      more: {
        confusion: {
          labels: ['fail', 'pass'],
          counts: [
            [9e5, 9e5],
            [0, 0],
          ],
        },
      },
    },
    { name: 'more passed than judged', more: { judged_only: { judged: 3, passed: 4 } } },
    { name: 'a mark above 1', more: { mark: 80 } },
    { name: 'a day for a time', more: { date: '2026-11-30' } },
    { name: 'no time', more: { date: 'yesterday' } },
    { name: 'a hash that is none', more: { judge_hash: 'abc' } },
    { name: 'no judge', more: { judges: [] } },
  ])('refuses $name', ({ more }) => {
    expect(CalibrationEvidenceSchema.safeParse({ ...EVIDENCE, ...more }).success).toBe(false);
    expect(CalibrationEvidenceSchema.safeParse(EVIDENCE).success).toBe(true);
  });
});

describe('the age of a calibration', () => {
  it.each([
    { date: '2026-11-30T12:00:00.000Z', days: 0 },
    { date: '2026-11-29T12:00:00.001Z', days: 0 },
    { date: '2026-11-29T12:00:00.000Z', days: 1 },
    // By a clock that is ahead: up to a day is nothing, more is no age at all.
    { date: '2026-12-01T12:00:00.000Z', days: 0 },
    { date: '2026-12-01T12:00:00.001Z', days: -2 },
  ])('of $date is $days days', ({ date, days }) => {
    const calibration = calibrationOf({ ...EVIDENCE, date });
    expect(calibrationFacts(calibration, '2026-11-30T12:00:00.000Z')).toMatchObject({
      age_days: days,
      labels: 50,
      labels_good: 25,
      labels_bad: 25,
    });
  });
});

describe('the corrected rate', () => {
  const judge = (rate: number, n: number) => ({ rate, n, ci95: null });
  it('has the golden value', () => {
    const corrected = correctRate({ passed: 400, judged: 1000, tpr: judge(0.9, 200), tnr: judge(0.7, 200) });
    expect(corrected.status).toBe('corrected');
    expect(corrected.rate).toBeCloseTo(0.166667, 6);
    expect(corrected.ci95?.[0]).toBeCloseTo(0.056351, 6);
    expect(corrected.ci95?.[1]).toBeCloseTo(0.262733, 6);
  });
  it('is drift where no answers could be judged so: 97 % passed by a judge that misses 10 %', () => {
    const corrected = correctRate({ passed: 970, judged: 1000, tpr: judge(0.9, 200), tnr: judge(0.9, 200) });
    expect(corrected.status).toBe('judge_drift');
    expect(corrected.ci95?.[0]).toBeCloseTo(1.0355, 4);
    expect(corrected.ci95?.[1]).toBeCloseTo(1.1551, 4);
  });
  it('is at the edge, not drift, where chance explains it: perfect answers and a judge that misses a few', () => {
    const corrected = correctRate({ passed: 97, judged: 100, tpr: judge(0.96, 100), tnr: judge(0.95, 100) });
    expect(corrected).toMatchObject({ status: 'edge', rate: 1 });
    expect(corrected.ci95?.[1]).toBe(1);
  });
  it.each([
    {
      name: 'nothing judged',
      given: { passed: 0, judged: 0, tpr: judge(0.9, 10), tnr: judge(0.9, 10) },
      status: 'unknown',
    },
    {
      name: 'a coin',
      given: { passed: 5, judged: 10, tpr: judge(0.5, 10), tnr: judge(0.5, 10) },
      status: 'uninformative',
    },
  ])('is $status with $name', ({ given, status }) =>
    expect(correctRate(given)).toEqual({ status, rate: null, ci95: null }),
  );

  it('finds the truth within its interval, by seeded simulation, as does PPI++', () => {
    const random = seeded(20261);
    const [truth, sensitivity, specificity] = [0.7, 0.9, 0.8];
    const found = { roganGladen: 0, ppi: 0 };
    const runs = 400;
    const judge = (human: number) => (random() < (human === 1 ? sensitivity : 1 - specificity) ? 1 : 0);
    for (let run = 0; run < runs; run += 1) {
      const labelled = Array.from({ length: 200 }, (): LabelledAnswer => {
        const human = random() < truth ? 1 : 0;
        return { human: { value: human, level: human }, judged: judge(human), level: null };
      });
      const judgedOnly = Array.from({ length: 500 }, () => judge(random() < truth ? 1 : 0));
      const { rogan_gladen, ppi } = with_(labelled, judgedOnly).corrected;
      const holds = (interval: readonly [number, number] | null) =>
        interval !== null && interval[0] <= truth && truth <= interval[1];
      if (holds(rogan_gladen.ci95)) found.roganGladen += 1;
      if (holds(ppi.ci95)) found.ppi += 1;
    }
    // 95 % of 400 is 380; four standard errors are 17.
    expect(found.roganGladen).toBeGreaterThanOrEqual(363);
    expect(found.ppi).toBeGreaterThanOrEqual(363);
  });
});
