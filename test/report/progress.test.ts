import { describe, expect, it } from 'vitest';
import { createProgress } from '../../src/report/progress.ts';

function watch(total: number, isTty: boolean, alreadyDone = 0) {
  const written: string[] = [];
  const time = { nowMs: 0 };
  const stream = { write: (text: string) => written.push(text) };
  const progress = createProgress({ total, alreadyDone, isTty, stream, clock: { monotonicMs: () => time.nowMs } });
  return { progress, written, time };
}

describe('progress on a terminal', () => {
  it('redraws one line with rate and time left', () => {
    const { progress, written, time } = watch(100, true);
    time.nowMs = 5_000;
    progress.update(50, 3, 1);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^\r█{12}░{12} 50\/100 \(50%\) · 3 failed · 1 error · 10 rows\/s · 5 s left/);
    expect(written[0]).not.toContain('\n');
  });

  it('says how many results were throttled, once there are some', () => {
    const { progress, written, time } = watch(100, true);
    time.nowMs = 5_000;
    progress.update(50, 0, 0, 0);
    time.nowMs = 10_000;
    progress.update(60, 0, 0, 7);
    expect(written[0]).not.toContain('throttled');
    expect(written[1]).toContain('60/100 (60%) · 7 throttled · 6.0 rows/s');
  });

  it('draws at most ten times a second', () => {
    const { progress, written, time } = watch(10_000, true);
    for (let done = 1; done <= 1_000; done += 1) {
      time.nowMs = done;
      progress.update(done, 0, 0);
    }
    expect(written.length).toBeLessThanOrEqual(11);
  });

  it.each([29, 57, 58])('says %i percent for as many of a hundred', (done) => {
    const { progress, written, time } = watch(100, true);
    time.nowMs = 1_000;
    progress.update(done, 0, 0);
    expect(written[0]).toContain(`${done}/100 (${done}%)`);
  });

  it('never says 100% before the end', () => {
    const { progress, written, time } = watch(10_000, true);
    time.nowMs = 1_000;
    progress.update(9_999, 0, 0);
    expect(written[0]).toContain('(99%)');
  });

  it('leaves the cursor on a fresh line, once', () => {
    const { progress, written, time } = watch(10, true);
    time.nowMs = 1_000;
    progress.update(10, 0, 0);
    progress.finish();
    progress.finish();
    progress.update(10, 0, 0);
    expect(written.filter((text) => text === '\n')).toHaveLength(1);
    expect(written.at(-1)).toBe('\n');
  });
});

describe('progress in CI', () => {
  it('writes a plain line every tenth of the work', () => {
    const { progress, written, time } = watch(100, false);
    for (let done = 1; done <= 100; done += 1) {
      time.nowMs += 1_000;
      progress.update(done, 0, 0);
    }
    progress.finish();
    expect(written).toHaveLength(10);
    for (const steering of ['\r', '\u001b']) expect(written.join('')).not.toContain(steering);
    expect(written[0]).toMatch(/^10\/100 \(10%\)/);
  });

  it('writes one line, the last, for a run of a few seconds', () => {
    const { progress, written, time } = watch(100, false);
    for (let done = 1; done <= 100; done += 1) {
      time.nowMs += 40;
      progress.update(done, 0, 0);
    }
    progress.finish();
    expect(written).toEqual(['100/100 (100%) · 25 rows/s\n']);
  });

  it('keeps five seconds between two lines, however fast the rows are', () => {
    const { progress, written, time } = watch(100_000, false);
    for (let done = 100; done <= 100_000; done += 100) {
      time.nowMs += 12;
      progress.update(done, 0, 0);
    }
    expect(written).toHaveLength(2);
  });

  it('writes a plain line every thirty seconds when rows are slow', () => {
    const { progress, written, time } = watch(1_000, false);
    time.nowMs = 29_000;
    progress.update(4, 0, 0);
    time.nowMs = 30_000;
    progress.update(6, 0, 0);
    expect(written).toEqual(['6/1,000 (0%) · 0.2 rows/s · 1 h 22 min left\n']);
  });

  it('starts from what an earlier attempt finished, and counts the rate from there', () => {
    const { progress, written, time } = watch(1_000, false, 900);
    time.nowMs = 5_000;
    progress.update(950, 0, 0);
    progress.finish();
    expect(written).toEqual(['950/1,000 (95%) · 10 rows/s · 5 s left\n']);
  });

  it('says where a resumed run stands when nothing is left to do', () => {
    const { progress, written } = watch(18, false, 18);
    progress.finish();
    expect(written).toEqual(['18/18 (100%)\n']);
  });

  it('counts against what is expected by now', () => {
    const { progress, written } = watch(20, false);
    progress.expect(40);
    progress.update(40, 0, 0);
    progress.finish();
    expect(written).toEqual(['40/40 (100%)\n']);
  });

  it('copes with nothing to do', () => {
    const { progress, written } = watch(0, false);
    progress.finish();
    expect(written).toEqual(['0/0\n']);
  });
});
