import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CalibrationFiles } from '../../../src/adapters/local/calibration-files.ts';
import { StorageError } from '../../../src/core/errors.ts';
import { calibrationAt, calibrationsContract, EVIDENCE, judgeHashOf } from '../../contracts/calibrations.ts';

const folders: string[] = [];
async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-calibrations-'));
  folders.push(folder);
  return join(folder, 'calibrations');
}
const stop = async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
};
const DATE = '2026-11-30T00:00:00.000Z';

calibrationsContract('CalibrationFiles', async () => new CalibrationFiles(await aFolder()), stop);

describe('CalibrationFiles', () => {
  afterAll(stop);

  async function withFile(text: string): Promise<CalibrationFiles> {
    const folder = await aFolder();
    await mkdir(folder);
    await writeFile(join(folder, `${EVIDENCE.judge_hash}.json`), text);
    return new CalibrationFiles(folder);
  }

  it('leaves one file a judge and nothing else', async () => {
    const folder = await aFolder();
    const files = new CalibrationFiles(folder);
    await files.put(calibrationAt(DATE));
    await files.put(calibrationAt(DATE));
    expect(await readdir(folder)).toEqual([`${EVIDENCE.judge_hash}.json`]);
  });

  it('counts κ anew: one that was written into the file is not believed', async () => {
    const told = { ...calibrationAt(DATE), kappa: 0.99, tpr: { rate: 1, n: 25, ci95: [1, 1] } };
    const files = await withFile(JSON.stringify(told));
    expect(await files.find(EVIDENCE.judge_hash)).toEqual(calibrationAt(DATE));
  });

  it('reads a file of before that lacks what the judge said of the others', async () => {
    const { judged_only_passed: _, ...before } = calibrationAt(DATE);
    const found = await (await withFile(JSON.stringify(before))).find(EVIDENCE.judge_hash);
    expect(found).toMatchObject({ labels: 50, judged_only: 0, corrected: { rogan_gladen: { status: 'unknown' } } });
    expect(found?.kappa).toBeCloseTo(0.4, 9);
  });

  it.each([
    { name: 'nothing', text: '' },
    { name: 'half of a file', text: JSON.stringify(calibrationAt(DATE)).slice(0, 100) },
    { name: 'something else', text: '{"a": 1}' },
    { name: 'another judge', text: JSON.stringify(calibrationAt(DATE, { judge_hash: judgeHashOf('b') })) },
    {
      name: 'counts that are none',
      text: JSON.stringify({ ...calibrationAt(DATE), confusion: { labels: ['fail', 'pass'], counts: [[1], [2, 3]] } }),
    },
  ])('says that a file with $name is damaged, and calibrating again mends it', async ({ text }) => {
    const files = await withFile(text);
    await expect(files.find(EVIDENCE.judge_hash)).rejects.toThrow(
      /is not what assay calibrate wrote.*calibrate again/s,
    );
    expect(await files.put(calibrationAt(DATE))).toBe(true);
    expect(await files.find(EVIDENCE.judge_hash)).toEqual(calibrationAt(DATE));
  });

  it.each(['', '../../etc/passwd', 'A'.repeat(64), 'a'.repeat(63)])('takes %j for no judge', async (hash) => {
    await expect(new CalibrationFiles(await aFolder()).find(hash)).rejects.toThrow(StorageError);
  });

  it('passes over files of others in its folder', async () => {
    const folder = await aFolder();
    const files = new CalibrationFiles(folder);
    await files.put(calibrationAt(DATE));
    await writeFile(join(folder, 'notes.txt'), 'mine');
    expect(await files.list()).toHaveLength(1);
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  });
});
