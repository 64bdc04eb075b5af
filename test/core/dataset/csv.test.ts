import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvParser } from '../../../src/core/dataset/csv-parser.ts';
import { FaultList } from '../../../src/core/dataset/fault-list.ts';
import { sniffDelimiter } from '../../../src/core/dataset/sniff-delimiter.ts';
import { faultsOf, read, rowsOf } from './reading.ts';

describe('CSV that people have', () => {
  it.each([
    {
      name: 'drops the byte-order mark and carriage returns of a spreadsheet',
      text: '\uFEFFinput,expected\r\nIs tea free?,No\r\nOpen on Sunday?,Yes\r\n',
      rows: [
        { input: 'Is tea free?', expected: 'No' },
        { input: 'Open on Sunday?', expected: 'Yes' },
      ],
    },
    {
      name: 'drops the mark before a quoted header',
      text: '\uFEFF"input","expected"\nA?,B',
      rows: [{ input: 'A?', expected: 'B' }],
    },
    {
      name: 'keeps line breaks inside quotes',
      text: 'input,expected\r\n"Note:\r\n- one\n\n- two",ok\r\nnext,ok2\r\n',
      rows: [
        { input: 'Note:\r\n- one\n\n- two', expected: 'ok' },
        { input: 'next', expected: 'ok2' },
      ],
    },
    {
      name: 'turns doubled quotes back into JSON text and reads a list of passages',
      text: 'input,expected,contexts\n"Give JSON","{""a"": ""1/2""}","[""one"", ""says \\""two\\""""]"\n',
      rows: [{ input: 'Give JSON', expected: '{"a": "1/2"}', contexts: ['one', 'says "two"'] }],
    },
    {
      name: 'takes the delimiter from the header, not from commas in the text',
      text: 'input;expected\nWhat is the fee, in euros?;2,50\nCard, cash or cheque?;All, yes\n',
      rows: [
        { input: 'What is the fee, in euros?', expected: '2,50' },
        { input: 'Card, cash or cheque?', expected: 'All, yes' },
      ],
    },
    {
      name: 'reads tabs, and quotes that a tab file does not escape',
      text: 'input\texpected\nA 5" pipe, or?\tyes\n',
      rows: [{ input: 'A 5" pipe, or?', expected: 'yes' }],
    },
    {
      name: 'matches padded headers in any case, and an empty cell of passages is no passage',
      text: ' Input , EXPECTED ,Contexts\nWho signs?,The tenant,\n',
      rows: [{ input: 'Who signs?', expected: 'The tenant', contexts: [] }],
    },
    {
      name: 'keeps every cell as it is written',
      text: 'id,input,expected\n007,a,0044\n008,b,1.10\n009,c,1e5\n010,d,TRUE\n011,e,12345678901234567890\n012,f, x \n',
      rows: ['0044', '1.10', '1e5', 'TRUE', '12345678901234567890', ' x '].map((expected) => ({ expected })),
    },
    {
      name: 'reads missing cells at the end of a line as no value',
      text: 'id,input,expected,rubric,contexts\n1,Colour?,Blue\n2,Founder?\n3,"Is it ""free""?",Yes,Brief\n',
      rows: [
        { id: '1', expected: 'Blue', rubric: null, contexts: null },
        { id: '2', expected: null },
        { id: '3', input: 'Is it "free"?', rubric: 'Brief' },
      ],
    },
    {
      name: 'takes a quote in the middle of a cell for itself',
      text: 'input,expected\nWhere?,In the "Logs" tab\nGive JSON,{"a": "b"}\n',
      rows: [{ expected: 'In the "Logs" tab' }, { expected: '{"a": "b"}' }],
    },
    {
      name: 'reads a single column',
      text: 'input\nA joke\n"a, b and c"\n',
      rows: [{ input: 'A joke' }, { input: 'a, b and c' }],
    },
    { name: 'reads the last line without a line break', text: 'input\nA\nB', rows: [{ input: 'A' }, { input: 'B' }] },
    {
      name: 'reads line ends of an old Mac',
      text: 'input,expected\rA,1\rB,2\r',
      rows: [{ input: 'A' }, { input: 'B' }],
    },
    {
      name: 'ignores an unnamed column without values and empty cells beyond the header',
      text: 'question,expected_answer,\nA,1,\nB,2,,,\n',
      rows: [
        { input: 'A', expected: '1', metadata: {} },
        { input: 'B', expected: '2', metadata: {} },
      ],
    },
    {
      name: 'keeps a value in a column without a name under the number of the column',
      text: 'input,\nA,\nB,x\n',
      rows: [
        { input: 'A', metadata: {} },
        { input: 'B', metadata: { 'column 2': 'x' } },
      ],
    },
    {
      name: 'keeps unknown columns as metadata, blanks and all',
      text: 'input,Topic,__proto__,note\nA,billing,p,\n',
      rows: [
        {
          metadata: Object.fromEntries([
            ['Topic', 'billing'],
            ['__proto__', 'p'],
            ['note', ''],
          ]),
        },
      ],
    },
    {
      name: 'reads tags with commas, quotes or as JSON',
      text: 'input,tags\nA,"a, b , a"\nB,"[""x, y"",""z""]"\nC,"""x, y"",z"\nD,\n',
      rows: [{ tags: ['a', 'b'] }, { tags: ['x, y', 'z'] }, { tags: ['x, y', 'z'] }, { tags: [] }],
    },
    {
      name: 'reads JSON cells of trajectory, tools, checks, verdicts, judge_replies and metadata',
      text:
        'input,trajectory,tools,checks,verdicts,judge_replies,metadata\n' +
        'A,"{""steps"":[]}","[{""name"":""t""}]","{""max_steps"":3}","{""safety"":{""score"":1}}","[""r1"",""r2""]","{""k"":1}"\n' +
        'B,,,,,"{""score"": 1}",\n',
      rows: [
        {
          trajectory: { steps: [] },
          tools: [{ name: 't' }],
          checks: { max_steps: 3 },
          verdicts: { safety: { score: 1 } },
          judge_replies: ['r1', 'r2'],
          metadata: { k: 1 },
        },
        { judge_replies: ['{"score": 1}'], checks: {} },
      ],
    },
    {
      name: 'reads checks in columns of their own',
      text: 'input,must_call,max_steps,require_contains,answer_match\nA,"search, book",4,FALSE,exact\n',
      rows: [
        { checks: { must_call: ['search', 'book'], max_steps: 4, require_contains: false, answer_match: 'exact' } },
      ],
    },
  ])('$name', async ({ text, rows }) => {
    const found = await rowsOf('data.csv', text);
    expect(found).toHaveLength(rows.length);
    for (const [index, row] of rows.entries()) expect(found[index]).toMatchObject(row);
  });

  it('skips blank lines and counts rows that ask nothing', async () => {
    const { firstRows, rows, withoutInput, faults } = await read('b.csv', 'input,expected\n\nA?,1\n   \n,\nB?,2\n\n\n');
    expect(faults).toEqual([]);
    expect(firstRows.map((row) => row.input)).toEqual(['A?', 'B?']);
    expect({ rows, withoutInput }).toEqual({ rows: 2, withoutInput: 1 });
  });

  it('asks "0" and leaves out empty and blank inputs', async () => {
    const text = 'input,expected\n,orphan\n"",orphan\n"  ",blank\n0,zero\nreal,yes\n';
    const { firstRows, withoutInput } = await read('e.csv', text);
    expect(firstRows.map((row) => row.input)).toEqual(['0', 'real']);
    expect(withoutInput).toBe(3);
  });
});

describe('CSV that is refused', () => {
  it.each([
    {
      name: 'two columns of one name',
      text: 'input,expected,note,Expected \nA,B,c,\n',
      line: 1,
      mentions: ['duplicate', 'Expected', 'columns 2 and 4'],
    },
    {
      name: 'two sources for one field',
      text: 'input,answer,ground_truth\nA,B,C\n',
      line: 1,
      mentions: ['answer', 'ground_truth', 'columns'],
    },
    {
      name: 'more cells than headers',
      text: 'input,expected\nWhere?,Lyon, France\nWhen?,9\n',
      line: 2,
      mentions: ['3 cells', '2 columns'],
    },
    {
      name: 'a header without an input',
      text: 'utterance,gold\nA,B\n',
      line: 1,
      mentions: ['utterance', 'gold', 'input'],
    },
    { name: 'a header alone', text: 'input,expected\n', line: undefined, mentions: ['no rows'] },
    { name: 'an empty file', text: '', line: undefined, mentions: ['no rows'] },
    {
      name: 'only rows without an input',
      text: 'input,expected\n,x\n',
      line: undefined,
      mentions: ['no row has an input', '1 without one'],
    },
    {
      name: 'blanks before an opening quote',
      text: 'input,expected\nok,1\n"a\nb", "x, y"\n',
      line: 4,
      mentions: ['blanks before', 'expected'],
    },
    {
      name: 'text after a closing quote',
      text: 'input,expected\n"a" b,1\n',
      line: 2,
      mentions: ['closing quote', 'input'],
    },
    {
      name: 'a quote that never closes',
      text: 'input,expected\nA,1\nB,"open\nC,2\n',
      line: 3,
      mentions: ['never ends', 'expected'],
    },
    {
      name: 'a cell that should hold JSON',
      text: 'input,trajectory\nA,{oops}\n',
      line: 2,
      mentions: ['trajectory', 'JSON', 'character 2'],
    },
    {
      name: 'a column that columns names and the file lacks',
      text: 'input,gold\nA,1\n',
      line: 1,
      mentions: ['silver', 'gold'],
      columns: { expected: 'silver' },
    },
    {
      name: 'a field that columns names and rows lack',
      text: 'input,gold\nA,1\n',
      line: undefined,
      mentions: ['expectd', 'expected'],
      columns: { expectd: 'gold' },
    },
    { name: 'duplicate ids', text: 'id,input\nx,A\ny,B\n\nx,C\n', line: 5, mentions: ['"x"', 'line 2', 'duplicate'] },
    { name: 'the same input twice without ids', text: 'input\nA\nB\nA\n', line: 4, mentions: ['line 2', 'ids'] },
    { name: 'an id with a control character', text: 'id,input\n"a\tb",A\n', line: 2, mentions: ['control'] },
    { name: 'an id of 513 bytes', text: `id,input\n${'é'.repeat(256)}x,A\n`, line: 2, mentions: ['512'] },
    {
      name: 'a number that is no share',
      text: 'input,min_tool_score\nA,7\n',
      line: 2,
      mentions: ['min_tool_score', '0 to 1'],
    },
  ])('$name', async ({ text, line, mentions, columns }) => {
    const faults = await faultsOf('data.csv', text, { columns: columns as Record<string, string> | undefined });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ file: 'data.csv' });
    expect(faults[0]?.line).toBe(line);
    const said = JSON.stringify(faults[0]);
    for (const mention of mentions) expect(said).toContain(mention.replaceAll('"', '\\"'));
  });

  it('tells every fault at once, the first hundred in full', async () => {
    const lines = Array.from({ length: 150 }, (_, index) => `q${index},a,extra`);
    const faults = await faultsOf('many.csv', ['input,expected', ...lines].join('\n'));
    expect(faults).toHaveLength(101);
    expect(faults[99]?.line).toBe(101);
    expect(faults[100]?.message).toBe('and 50 more faults');
  });
});

describe('the delimiter', () => {
  it.each([
    ['input;expected', ';'],
    ['input\texpected', '\t'],
    ['input', ','],
    ['question (short, plain);answer', ';'],
    ['"input, or not";expected;id', ';'],
    ['input,"a;b;c;d"', ','],
  ])('of %j is %j', (header, delimiter) => expect(sniffDelimiter(header)).toBe(delimiter));
});

describe('any cells', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '𝒳', '"', ',', ';', '\t', '\n', '\r', ' ', '[', '\uFEFF') });
  const table = fc
    .integer({ min: 2, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));

  it('come back as they were written, wherever the text is cut', () => {
    const property = fc.property(
      table,
      fc.constantFrom(',' as const, ';' as const, '\t' as const),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.integer({ min: 1, max: 9 }),
      (cells, delimiter, lineEnd, size) => {
        const text = cells
          .map((row) => row.map((value) => writeCell(value, delimiter)).join(delimiter) + lineEnd)
          .join('');
        const faults = new FaultList('any.csv');
        const parser = new CsvParser(faults, delimiter);
        const records = cut(text, size).flatMap((piece) => parser.push(piece));
        records.push(...parser.end());
        expect(faults.count).toBe(0);
        expect(records.map((record) => record.cells)).toEqual(cells);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

function writeCell(value: string, delimiter: string): string {
  const plain = ![delimiter, '"', '\n', '\r'].some((special) => value.includes(special));
  return plain ? value : `"${value.replaceAll('"', '""')}"`;
}

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}
