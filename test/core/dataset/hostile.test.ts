import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DatasetFormat } from '../../../src/core/dataset/format.ts';
import { previewDataset } from '../../../src/core/dataset/preview-dataset.ts';
import { RowSchema } from '../../../src/core/schemas/row.ts';
import { jsonl, sourceOf } from './reading.ts';

const formats = fc.constantFrom<DatasetFormat | undefined>('csv', 'tsv', 'jsonl', 'json', 'rows', undefined);
const fragment = fc.constantFrom(
  ...[
    'input',
    'expected',
    'id',
    'contexts',
    'checks',
    '"',
    '""',
    ',',
    ';',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '{',
    '}',
    '[',
    ']',
  ],
  ...[
    ':',
    '"input":',
    '"rows":[',
    '{"input":"a"}',
    '\\',
    '\\u',
    'null',
    '1e999',
    '-0',
    '[[',
    ' ',
    'é',
    '\uFEFF',
    '\0',
    'max_steps',
  ],
);
const values = fc.oneof(fc.jsonValue(), fc.constantFrom('[', '{"a":1}', '["x"]', ' ', 0, -1, null, {}, []));
const fields = ['id', 'input', 'expected', 'rubric', 'contexts', 'output', 'trajectory', 'verdicts', 'judge_replies'];
const moreFields = [
  'tags',
  'difficulty',
  'cluster',
  'metadata',
  'tools',
  'checks',
  'input_fields',
  'must_call',
  'Input',
  '__proto__',
];

it('never fails but with faults, whatever the bytes', async () => {
  const body = fc.oneof(
    fc.array(fragment).map((parts) => new TextEncoder().encode(parts.join(''))),
    fc.uint8Array(),
  );
  const property = fc.asyncProperty(body, formats, fc.integer({ min: 1, max: 50 }), async (bytes, format, size) => {
    const { rows, faults } = await previewDataset(sourceOf('x', bytes, size, format), 10);
    expect(rows > 0 || faults.length > 0).toBe(true);
  });
  await fc.assert(property, { numRuns: 2000 });
});

it('gives rows that keep to their schema, or faults with a line, whatever the values', async () => {
  const record = fc.dictionary(fc.constantFrom(...fields, ...moreFields), values);
  const property = fc.asyncProperty(record, fc.constantFrom<DatasetFormat>('jsonl', 'rows'), async (one, format) => {
    const { firstRows, faults } = await previewDataset(sourceOf('x', jsonl(one), 64, format), 10);
    for (const row of firstRows) expect(RowSchema.parse(row)).toEqual(row);
    for (const fault of faults) expect(fault.line ?? fault.message).toBeTruthy();
  });
  await fc.assert(property, { numRuns: 1000 });
});

it('survives long values that break its patterns', async () => {
  const long = 'x'.repeat(3_000_000);
  for (const body of [
    `{"input":"${long}`,
    `{"input":"${long}", oops}`,
    `{"input":"a","tags":"${'\\"a,'.repeat(500_000)}"}`,
  ]) {
    expect((await previewDataset(sourceOf('x.jsonl', body, 65_536), 1)).faults.length).toBeLessThanOrEqual(1);
  }
});
