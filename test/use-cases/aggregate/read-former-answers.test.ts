import { describe, expect, it } from 'vitest';
import { resultLine } from '../../../src/adapters/aws/result-line.ts';
import type { RowResult } from '../../../src/core/schemas/result.ts';
import { answersPerRow, readFormerAnswers } from '../../../src/use-cases/aggregate/read-former-answers.ts';
import { finishedRun, rowResult } from '../../report/finished-run.ts';

async function* chunksOf(text: string, onRead = () => {}): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 1_000) {
    onRead();
    yield Buffer.from(text.slice(at, at + 1_000), 'utf8');
  }
}

const local = (result: RowResult) => `${JSON.stringify(result)}\n`;
const STRANGE_IDS = ['plain', 'with "quotes" and \\', 'line\u2028separator', '"row_id":"other"', 'emoji 🦄', '\\'];

describe('answers of a former run', () => {
  it.each([
    { name: 'on this machine', lineOf: local },
    { name: 'in parts', lineOf: resultLine },
  ])('are found by id whatever the id holds, $name', async ({ lineOf }) => {
    const lines = STRANGE_IDS.flatMap((id, index) => [
      rowResult({ row_id: `not ${id}`, index, output: 'of another row' }),
      rowResult({ row_id: id, index, output: `answer to ${id}`, input: { asked: id } }),
    ]);
    const answers = await readFormerAnswers([chunksOf(lines.map(lineOf).join(''))], STRANGE_IDS, 1);
    expect(STRANGE_IDS.map((id) => answers.of(id).map(({ output }) => output))).toEqual(
      STRANGE_IDS.map((id) => [`answer to ${id}`]),
    );
  });

  it('are read no further than it takes', async () => {
    const rest = Array.from({ length: 1_000 }, (_, index) => local(rowResult({ row_id: `r${index}`, index }))).join('');
    let reads = 0;
    const chunks = chunksOf(local(rowResult({ row_id: 'wanted' })) + rest, () => {
      reads += 1;
    });
    await readFormerAnswers([chunks], ['wanted'], 1);
    expect(reads).toBeLessThan(10);
  });

  it('are not looked for at all when no row changed', async () => {
    const chunks = chunksOf('not even JSON', () => {
      throw new Error('it was read');
    });
    expect((await readFormerAnswers([chunks], [], 1)).isEmpty).toBe(true);
  });

  it('count a line that stands twice once, and read on for the other trial', async () => {
    const first = local(rowResult({ row_id: 'a' }));
    const second = local(rowResult({ row_id: 'a', trial: 1 }));
    const answers = await readFormerAnswers([chunksOf(first + first + second)], ['a'], 2);
    expect(answers.of('a').map(({ trial }) => trial)).toEqual([0, 1]);
  });

  it('pass over damaged lines of rows that nobody asked about, and refuse those that they need', async () => {
    const cutOff = local(rowResult({ row_id: 'other' })).slice(0, 400);
    const good = local(rowResult({ row_id: 'a' }));
    const answers = await readFormerAnswers([chunksOf(`${cutOff}\n${good}`)], ['a'], 1);
    expect(answers.isEmpty).toBe(false);
    await expect(readFormerAnswers([chunksOf(`${good.slice(0, 400)}\n`)], ['a'], 1)).rejects.toThrow(SyntaxError);
  });

  it('are one for each target and trial', () => {
    const [target] = [{ id: 'a' }] as unknown as ReturnType<typeof finishedRun>['targets'];
    if (target === undefined) throw new Error('no target');
    const repeats = [{ target: 'a', trials: 3, rows: 1, flaky: 0, flake_rate: 0, pass_at: [], pass_hat: [] }];
    expect(answersPerRow(finishedRun())).toBe(1);
    expect(answersPerRow(finishedRun({ targets: [target, target], repeats }))).toBe(6);
  });
});
