import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A dataset of questions of 120 characters with an expected answer of 8; its path. */
export function writeDataset(folder: string, rows: number): string {
  const path = join(folder, `rows-${rows}.jsonl`);
  if (existsSync(path)) return path;
  const lines: string[] = [];
  for (let index = 0; index < rows; index += 1) {
    const question = `Question ${index}: which city is the capital of Australia, and since when? ${'Please answer briefly. '.repeat(5)}`;
    lines.push(JSON.stringify({ id: `row-${index}`, input: question.slice(0, 120), expected: 'Canberra' }));
  }
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
