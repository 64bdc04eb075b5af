import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { datasetLine } from '../../../src/core/dataset/dataset-version.ts';
import { previewDataset } from '../../../src/core/dataset/preview-dataset.ts';
import { RowSchema } from '../../../src/core/schemas/row.ts';
import { faultsOf, jsonl, rowOf, rowsOf, sourceOf } from './reading.ts';

describe('fields of a row', () => {
  it.each([
    ...['input', 'query', 'question', 'text', 'task', 'prompt', ' Query ', 'QUESTION'].map((name) => ({
      name: `takes the input from ${JSON.stringify(name)}`,
      record: { [name]: 'A?' },
      row: { input: 'A?', metadata: {} },
    })),
    ...['expected', 'ground_truth', 'label', 'answer', 'ideal', 'reference', 'expected_answer', 'expected_output'].map(
      (name) => ({ name: `takes expected from ${name}`, record: { input: 'A?', [name]: 'x' }, row: { expected: 'x' } }),
    ),
    {
      name: 'takes contexts from retrieved_contexts',
      record: { input: 'A?', retrieved_contexts: ['p'] },
      row: { contexts: ['p'] },
    },
    { name: 'takes output from response', record: { input: 'A?', response: 'r' }, row: { output: 'r' } },
    {
      name: 'keeps an empty recorded answer: it is an answer',
      record: { input: 'A?', output: '' },
      row: { output: '' },
    },
    {
      name: 'keeps a recorded answer per trial',
      record: { input: 'A?', output: ['x', ''] },
      row: { output: ['x', ''] },
    },
    { name: 'asks 0', record: { input: 0 }, row: { input: 0 } },
    { name: 'asks false', record: { input: false }, row: { input: false } },
    {
      name: 'keeps a nested input whole',
      record: { input: { question: 'Wo?', locale: 'de' } },
      row: { input: { question: 'Wo?', locale: 'de' } },
    },
    { name: 'keeps an input that is a list', record: { input: ['one', 'two'] }, row: { input: ['one', 'two'] } },
    {
      name: 'keeps expected as the JSON it is',
      record: { input: 'A?', expected: { n: 1, list: [true] } },
      row: { expected: { n: 1, list: [true] } },
    },
    { name: 'keeps expected 0 and false', record: { input: 'A?', expected: 0 }, row: { expected: 0 } },
    {
      name: 'reads blank expected and rubric as none: every answer would contain them',
      record: { input: 'A?', expected: ' ', rubric: '' },
      row: { expected: null, rubric: null },
    },
    {
      name: 'does not mind an empty second source',
      record: { input: 'A?', answer: null, label: 'x' },
      row: { expected: 'x' },
    },
    {
      name: 'writes numbers of id, difficulty and cluster as text',
      record: { id: 7, input: 'A?', difficulty: 2, cluster: 3 },
      row: { id: '7', difficulty: '2', cluster: '3' },
    },
    {
      name: 'reads tags as a list of texts',
      record: { input: 'A?', tags: ['a', ' b ', '', 'a', 5] },
      row: { tags: ['a', 'b', '5'] },
    },
    {
      name: 'sends unknown keys to metadata beside those in it',
      record: { input: 'A?', metadata: { a: 1 }, Topic: { b: null } },
      row: { metadata: { a: 1, Topic: { b: null } } },
    },
    {
      name: 'takes __proto__ for a key like any other',
      record: JSON.parse('{"input":"A?","__proto__":{"x":1}}'),
      row: { metadata: JSON.parse('{"__proto__":{"x":1}}') },
    },
    {
      name: 'reads judge replies as Converse gives them',
      record: { input: 'A?', judge_replies: [{ stop_reason: 'end_turn', content: [] }, 'text'] },
      row: { judge_replies: [{ stop_reason: 'end_turn', content: [] }, 'text'] },
    },
  ])('$name', async ({ record, row }) => {
    const found = await rowOf(record);
    expect(found).toMatchObject(row);
    expect(RowSchema.parse(found)).toEqual(found);
  });

  it.each([
    ['a list', ['a', 'b'], ['a', 'b']],
    ['a list as text', '["a","b"]', ['a', 'b']],
    ['one text', 'one passage', ['one passage']],
    ['a text that starts like a list', '[1] Terms', ['[1] Terms']],
    ['a text that is a list of numbers', '[1]', ['[1]']],
    [
      'objects with text, null and nothing',
      [{ text: 'from object', score: 1 }, null, '', ' ', { text: '' }],
      ['from object'],
    ],
    ['objects as retrievers give them', [{ content: 'a' }, { page_content: 'b', metadata: {} }], ['a', 'b']],
    ['null', null, []],
    ['an empty list', [], []],
    ['an empty list as text', '[]', []],
  ])('reads contexts given as %s', async (_, contexts, expected) => {
    expect((await rowOf({ input: 'A?', contexts })).contexts).toEqual(expected);
  });

  it('has no contexts where none are given', async () => {
    expect((await rowOf({ input: 'A?' })).contexts).toBeNull();
  });

  it.each([[null], [''], ['  \n'], [[]], [{}], [{ query: ' ' }]])('leaves out the input %j', async (input) => {
    const { rows, withoutInput } = await previewDataset(sourceOf('a.jsonl', jsonl({ input }, { input: 'B' })), 5);
    expect({ rows, withoutInput }).toEqual({ rows: 1, withoutInput: 1 });
  });
});

describe("supereval's nested form", () => {
  it.each([
    { name: 'query', input: { query: 'A?', region: 'eu' }, text: 'A?' },
    { name: 'text', input: { text: 'A?' }, text: 'A?' },
    { name: 'task', input: { task: 'A?', user: 7 }, text: 'A?' },
    { name: 'instruction, with text as its document', input: { instruction: 'Sum up', text: 'Long…' }, text: 'Sum up' },
  ])('takes the input from $name and keeps the object for templates', async ({ input, text }) => {
    expect(await rowOf({ input })).toMatchObject({ input: text, input_fields: input });
  });

  it('splits expected into answer, rubric and checks', async () => {
    const expected = { answer: 'Paris', rubric: 'Short', answer_match: 'exact', must_call: ['a'], note: 'x' };
    expect(await rowOf({ input: 'A?', expected })).toMatchObject({
      expected: 'Paris',
      rubric: 'Short',
      checks: { answer_match: 'exact', must_call: ['a'], note: 'x' },
    });
  });

  it.each([
    { name: 'ground_truth', expected: { ground_truth: 'x' }, row: { expected: 'x' } },
    { name: 'label', expected: { label: 'x' }, row: { expected: 'x' } },
    {
      name: 'an answer of null',
      expected: { answer: null, must_call: ['t'] },
      row: { expected: null, checks: { must_call: ['t'] } },
    },
    { name: 'a rubric alone', expected: { rubric: 'Three bullets' }, row: { expected: null, rubric: 'Three bullets' } },
    { name: 'checks alone', expected: { max_steps: 3 }, row: { expected: null, checks: { max_steps: 3 } } },
  ])('reads $name', async ({ expected, row }) => {
    expect(await rowOf({ input: 'A?', expected })).toMatchObject(row);
  });

  it.each([
    { name: 'two inputs', record: { input: { query: 'a', task: 'b' } }, mentions: ['input.query', 'input.task'] },
    {
      name: 'two answers',
      record: { input: 'a', expected: { answer: 'x', label: 'y' } },
      mentions: ['expected.answer', 'expected.label'],
    },
    {
      name: 'two rubrics',
      record: { input: 'a', rubric: 'r', expected: { rubric: 's' } },
      mentions: ['rubric', 'expected.rubric'],
    },
    {
      name: 'a check twice',
      record: { input: 'a', max_steps: 2, checks: { max_steps: 3 } },
      mentions: ['checks.max_steps'],
    },
    {
      name: 'metadata twice',
      record: { input: 'a', topic: 'x', metadata: { topic: 'y' } },
      mentions: ['metadata.topic'],
    },
    { name: 'a rubric that is a list', record: { input: 'a', rubric: ['x'] }, mentions: ['rubric', 'a list'] },
    { name: 'verdicts that are a list', record: { input: 'a', verdicts: [] }, mentions: ['verdicts', 'object'] },
  ])('refuses $name', async ({ record, mentions }) => {
    const faults = await faultsOf('a.jsonl', jsonl(record));
    expect(faults).toHaveLength(1);
    for (const mention of mentions) expect(JSON.stringify(faults[0])).toContain(mention);
  });
});

describe('columns', () => {
  const columns = { input: 'utterance', expected: 'ground_truth' };
  const records = [{ utterance: 'A?', Ground_Truth: 'x', answer: 'y', question: 'q' }];

  it('decide where names do not; other sources become metadata', async () => {
    const [row] = await rowsOf('a.jsonl', jsonl(...records), { columns });
    expect(row).toMatchObject({ input: 'A?', expected: 'x', metadata: { answer: 'y', question: 'q' } });
  });

  it('mean the same for CSV', async () => {
    const [row] = await rowsOf('a.csv', 'utterance,Ground_Truth,answer,question\nA?,x,y,q\n', { columns });
    expect(row).toMatchObject({ input: 'A?', expected: 'x', metadata: { answer: 'y', question: 'q' } });
  });

  it('name a key that no row has', async () => {
    const faults = await faultsOf('a.jsonl', jsonl({ input: 'A?', gold: 'x' }), { columns: { expected: 'silver' } });
    expect(faults).toHaveLength(1);
    expect(JSON.stringify(faults[0])).toMatch(/silver.*found: input, gold/);
  });

  it('work on stored rows, where the column was kept in metadata or in a field', async () => {
    const stored = (await rowsOf('a.jsonl', jsonl({ input: 'A?', answer: 'x', gold: 'y', topic: 't' })))
      .map(datasetLine)
      .join('');
    const reading = (mapping: Record<string, string>) =>
      previewDataset(sourceOf('v.jsonl', stored, 99, 'rows'), 1, { columns: mapping });
    expect((await reading({ expected: 'gold' })).firstRows[0]).toMatchObject({
      expected: 'y',
      metadata: { expected: 'x', topic: 't' },
    });
    expect((await reading({ expected: 'answer' })).firstRows[0]).toMatchObject({
      expected: 'x',
      metadata: { gold: 'y', topic: 't' },
    });
    expect((await reading({ rubric: 'answer' })).firstRows[0]).toMatchObject({ expected: null, rubric: 'x' });
    expect((await reading({ expected: 'nothing' })).faults).toHaveLength(1);
  });
});

it('reads stored rows back as they were, with the same version', async () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const record = fc.record(
    {
      input: value,
      expected: value,
      contexts: fc.array(fc.string()),
      output: value,
      tags: fc.array(fc.string()),
      note: value,
      checks: fc.constantFrom({}, { max_steps: 2 }),
    },
    { requiredKeys: ['input'] },
  );
  const property = fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 5 }), async (records) => {
    const text = jsonl(...records.map((one, index) => ({ id: `r${index}`, ...one })));
    const first = await previewDataset(sourceOf('a.jsonl', text), 10);
    fc.pre(first.faults.length === 0);
    const stored = first.firstRows.map(datasetLine).join('');
    expect(await previewDataset(sourceOf('v.jsonl', stored, 64, 'rows'), 10)).toEqual({ ...first, withoutInput: 0 });
    for (const row of first.firstRows) expect(RowSchema.parse(row)).toEqual(row);
  });
  await fc.assert(property, { numRuns: 100 });
});
