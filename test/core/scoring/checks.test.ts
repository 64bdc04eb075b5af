import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal, toNumber } from '../../../src/core/scoring/checks/decimal.ts';
import { foldText } from '../../../src/core/scoring/checks/fold.ts';
import { checkFaults, expectedFaults, runCheck } from '../../../src/core/scoring/checks/run-check.ts';
import { row, spec } from './build.ts';

const rules = { text_match: 'normalized', word_boundary: false } as const;
const literal = { ...rules, text_match: 'literal' } as const;
const words = { ...rules, word_boundary: true } as const;

const nfd = (text: string) => text.normalize('NFD');

describe('contains', () => {
  it.each([
    { name: 'ignores case', expected: '256 KB', answer: 'The limit is 256 kb, raised lately.', passed: true },
    { name: 'counts blanks', expected: '256 KB', answer: 'Messages may be up to 256KB.', passed: false },
    { name: 'counts punctuation', expected: 'Paris.', answer: 'Paris', passed: false },
    {
      name: 'reads composed and decomposed accents alike',
      expected: 'crème',
      answer: nfd('a crème brûlée'),
      passed: true,
    },
    { name: 'reads a no-break space as a blank', expected: '256 KB', answer: 'at most 256\u00a0KB', passed: true },
    { name: 'reads a line break as a blank', expected: 'New York', answer: 'New\r\n  York', passed: true },
    { name: 'folds the dotted capital I', expected: 'İstanbul', answer: 'Cevap: İSTANBUL', passed: true },
    { name: 'folds ß as ss', expected: 'STRASSE', answer: 'die Straße', passed: true },
    { name: 'folds the capital ẞ too', expected: 'strasse', answer: 'DIE STRAẞE', passed: true },
    { name: 'folds the final sigma', expected: 'ΟΔΟΣ', answer: 'η οδός, οδος', passed: true },
    { name: 'folds full-width letters', expected: 'ABC', answer: 'ａｂｃ', passed: true },
    {
      name: 'takes the expected text as no pattern',
      expected: '$5.00 (net)',
      answer: 'Total: $5.00 (NET)',
      passed: true,
    },
    { name: 'finds a label inside a word', expected: 'ham', answer: 'Hamburg travel', passed: true },
    { name: 'never passes on a blank expected text', expected: ' ', answer: 'anything at all', passed: false },
    { name: 'fails on an empty answer', expected: 'x', answer: '', passed: false },
    { name: 'reads a number as text', expected: 42, answer: 'it is 42', passed: true },
    { name: 'reads zero as text', expected: 0, answer: '0', passed: true },
  ])('$name', ({ expected, answer, passed }) => {
    expect(runCheck(spec('contains'), answer, expected, rules).passed).toBe(passed);
  });

  it.each([
    { name: 'literal: only lower case', expected: 'crème', answer: nfd('crème'), passed: false },
    { name: 'literal: ignores case', expected: 'Crème', answer: 'CRÈME', passed: true },
    { name: 'literal: blanks as they are', expected: 'New York', answer: 'New\u00a0York', passed: false },
  ])('$name', ({ expected, answer, passed }) => {
    expect(runCheck(spec('contains'), answer, expected, literal).passed).toBe(passed);
  });

  it.each([
    { name: 'not inside a word', expected: 'ham', answer: 'Hamburg', passed: false },
    { name: 'a word by itself later on', expected: 'ham', answer: 'Hamburg, or (ham)!', passed: true },
    { name: 'not inside a number', expected: '11', answer: '711', passed: false },
    { name: 'not the whole part of a decimal', expected: '11', answer: '11.5', passed: false },
    { name: 'not the last group of a number', expected: '100', answer: '1,100', passed: false },
    { name: 'a number that ends a sentence', expected: '11', answer: 'It is 11.', passed: true },
    { name: 'a number in a list', expected: '11', answer: '7, 11, 13', passed: true },
    { name: 'beside punctuation of its own', expected: '$5.00', answer: 'US$5.00', passed: true },
    { name: 'not before an accent that cannot be composed', expected: 'x', answer: 'x\u0304', passed: false },
    { name: 'beside an emoji', expected: 'ham', answer: '🎉ham🎉', passed: true },
    { name: 'not beside a letter outside the first plane', expected: 'ham', answer: '𐐨ham', passed: false },
  ])('word_boundary: $name', ({ expected, answer, passed }) => {
    expect(runCheck(spec('contains'), answer, expected, words).passed).toBe(passed);
  });

  it('folding twice is folding once, and every text contains itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const folded = foldText(text, 'normalized');
        expect(foldText(folded, 'normalized')).toBe(folded);
        if (text.trim() !== '' && folded.trim() !== '') {
          expect(runCheck(spec('contains'), text, text, rules).passed).toBe(true);
          expect(runCheck(spec('exact'), ` ${text}\n`, text, rules).passed).toBe(true);
        }
      }),
    );
  });
});

describe('exact', () => {
  it.each([
    { name: 'trims and ignores case', expected: 'Paris', answer: '  PARIS\n', passed: true },
    { name: 'counts a full stop', expected: 'Paris', answer: 'Paris.', passed: false },
    { name: 'compares a number as text', expected: 42, answer: '42', passed: true },
    { name: 'is not contained', expected: 'Paris', answer: 'in Paris', passed: false },
    { name: 'compares objects as canonical JSON', expected: { b: 1, a: 2 }, answer: '{"a":2,"b":1}', passed: true },
  ])('$name', ({ expected, answer, passed }) => {
    expect(runCheck(spec('exact'), answer, expected, rules).passed).toBe(passed);
  });
});

describe('regex', () => {
  it.each([
    { name: 'searches', expected: '\\d{3}-\\d{4}', answer: 'call 555-1234 now', passed: true },
    { name: 'anchors mean the whole text', expected: '^\\d{3}-\\d{4}$', answer: 'call 555-1234 now', passed: false },
    { name: 'is case-sensitive', expected: 'paris', answer: 'Paris', passed: false },
    { name: 'takes (?i)', expected: '(?i)paris', answer: 'Paris', passed: true },
    { name: 'takes Python names', expected: '(?P<city>Paris)', answer: 'Paris', passed: true },
    { name: 'takes \\A and \\-', expected: '\\A2024\\-01', answer: '2024-01-05', passed: true },
    { name: 'takes \\p{…}', expected: '\\p{Lu}\\p{Ll}+', answer: 'été Été', passed: true },
    { name: 'stays linear on nested repeats', expected: '^(a+)+$', answer: `${'a'.repeat(40)}!`, passed: false },
    { name: 'sees the raw answer', expected: 'a  b', answer: 'a  b', passed: true },
  ])('$name', ({ expected, answer, passed }) => {
    for (const _ of [1, 2]) expect(runCheck(spec('regex'), answer, expected, rules).passed).toBe(passed);
  });

  it.each([
    { name: 'a broken pattern', expected: '[unclosed', fix: /RE2/ },
    { name: 'look-ahead', expected: '(?=a)b', fix: /look-around/ },
    { name: 'look-behind', expected: '(?<!a)b', fix: /look-around/ },
    { name: 'a back-reference', expected: '(a)\\1', fix: /back-references/ },
    { name: 'Python’s \\Z', expected: 'a\\Z', fix: /\\z/ },
  ])('refuses $name and names the row', ({ expected, fix }) => {
    const [fault] = expectedFaults(spec('regex'), row({ id: 'row-7', expected }));
    expect(fault?.field).toBe('expected');
    expect(fault?.message).toContain('row-7');
    expect(fault?.fix).toMatch(fix);
  });
});

describe('numeric', () => {
  it.each([
    { name: 'thousands and trailing zeros', expected: '1234.5', answer: '1,234.50', passed: true },
    { name: 'a currency sign on one side', expected: '5', answer: '$5', passed: true },
    { name: 'a sign before or after the currency', expected: '-$5', answer: '$-5', passed: true },
    { name: 'a percent sign on one side', expected: '60', answer: '60%', passed: true },
    { name: 'a percentage is not its share', expected: '0.6', answer: '60%', passed: false },
    { name: 'two units differ', expected: '$5', answer: '5 €', passed: false },
    { name: 'a JSON number', expected: 18, answer: '18.', passed: true },
    { name: 'an exponent', expected: '1000', answer: '1e3', passed: true },
    { name: 'negative zero', expected: '0', answer: '-0.0', passed: true },
    { name: 'the minus of typesetters', expected: '-3', answer: '−3', passed: true },
    {
      name: 'digits that doubles cannot hold',
      expected: '9007199254740993',
      answer: '9007199254740992',
      passed: false,
    },
    { name: 'a sentence is no number', expected: '42', answer: 'It is 42', passed: false },
    { name: 'loose commas are no number', expected: '15', answer: '1,5', passed: false },
    { name: 'an empty answer', expected: '0', answer: '', passed: false },
    { name: 'a word', expected: '0', answer: 'NaN', passed: false },
    { name: 'infinity', expected: '0', answer: 'Infinity', passed: false },
    { name: 'hexadecimal', expected: '16', answer: '0x10', passed: false },
  ])('$name', ({ expected, answer, passed }) => {
    expect(runCheck(spec('numeric'), answer, expected, rules).passed).toBe(passed);
  });

  it.each([
    { tolerance: 0.1, answer: '1.1', expected: '1', passed: true },
    { tolerance: 0.1, answer: '0.9', expected: '1', passed: true },
    { tolerance: 0.1, answer: '1.1001', expected: '1', passed: false },
    { tolerance: 0, answer: '1.0', expected: '1', passed: true },
    { tolerance: 0, answer: '1.01', expected: '1', passed: false },
  ])('$answer within $tolerance of $expected: $passed', ({ tolerance, answer, expected, passed }) => {
    expect(runCheck(spec('numeric', { tolerance }), answer, expected, rules).passed).toBe(passed);
  });

  it('refuses an expected text that is no number', () => {
    const [fault] = expectedFaults(spec('numeric'), row({ expected: 'about 5' }));
    expect(fault?.message).toContain('is no number');
  });

  it('reads every number as JavaScript writes it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const parsed = parseDecimal(String(value));
        expect(parsed === null ? null : toNumber(parsed)).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe('extract', () => {
  const lastNumber = spec('numeric', { extract: '(-?[\\d,.]+)\\s*$' });
  it.each([
    {
      name: 'takes the group on both sides',
      answer: 'So the total is $1,018.',
      expected: 'x\n#### 1018',
      passed: true,
    },
    { name: 'fails where the answer has no match', answer: 'I do not know', expected: '#### 18', passed: false },
    { name: 'compares only the part', answer: '7 apples, 19', expected: '18', passed: false },
  ])('$name', ({ answer, expected, passed }) => {
    expect(runCheck(lastNumber, answer, expected, rules).passed).toBe(passed);
  });
  it('says why an answer without a match fails', () => {
    expect(runCheck(lastNumber, 'none', '18', rules).reason).toMatch(/finds nothing in the answer/);
  });
  it('takes the first match, and the group that took part', () => {
    const either = spec('exact', { extract: '(?:A: (\\d+)|B: (\\d+))' });
    expect(runCheck(either, 'B: 7, A: 8', 'A: 7', rules).passed).toBe(true);
  });
  it('takes the whole match without a group', () => {
    expect(runCheck(spec('exact', { extract: '\\d+' }), 'is 7!', '7', rules).passed).toBe(true);
  });
  it('leaves the pattern of a regex check alone', () => {
    expect(runCheck(spec('regex', { extract: 'answer: (.*)' }), 'answer: 42', '^\\d+$', rules).passed).toBe(true);
  });
  it('is a dataset fault where the expected text has no match', () => {
    const [fault] = expectedFaults(spec('exact', { extract: '#### (.+)' }), row({ id: 'q9', expected: '18' }));
    expect(fault?.message).toMatch(/q9.*finds nothing/);
  });
});

describe('faults of a listed check', () => {
  it.each([
    {
      name: 'an unknown check names the nearest',
      scorer: spec('containz'),
      message: /unknown check "containz"/,
      fix: /contains/,
    },
    { name: 'an unknown option', scorer: spec('numeric', { tolerence: 1 }), message: /tolerence/, fix: /tolerance/ },
    {
      name: 'an option of another check',
      scorer: spec('exact', { tolerance: 1 }),
      message: /tolerance/,
      fix: /extract/,
    },
    { name: 'a negative tolerance', scorer: spec('numeric', { tolerance: -1 }), message: /tolerance/, fix: /^$/ },
    { name: 'a broken extract', scorer: spec('exact', { extract: '(' }), message: /invalid/, fix: /RE2/ },
    {
      name: 'an extract that is no text',
      scorer: spec('exact', { extract: 3 }),
      message: /regular expression/,
      fix: /such as/,
    },
  ])('$name', ({ scorer, message, fix }) => {
    const [fault] = checkFaults(scorer, 0, []);
    expect(fault?.field).toMatch(/^scorers\.0/);
    expect(fault?.message).toMatch(message);
    expect(fault?.fix ?? '').toMatch(fix);
  });
  it.each([null, '', ' \n\u00a0'])('a row without an expected answer (%j)', (expected) => {
    expect(expectedFaults(spec('contains'), row({ expected }))).toHaveLength(1);
  });
  it.each([0, false, '0'])('%j is an expected answer', (expected) => {
    expect(expectedFaults(spec('contains'), row({ expected }))).toEqual([]);
  });
});
