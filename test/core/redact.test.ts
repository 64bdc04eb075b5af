import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, REDACTED } from '../../src/core/redact.ts';

const SECRET = 'p@ss "w/rd" +1é&<';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('createRedactor', () => {
  it.each([
    { name: 'as it is', text: `a ${SECRET} b` },
    { name: 'JSON-escaped', text: JSON.stringify({ key: SECRET }) },
    { name: 'JSON in JSON', text: JSON.stringify(JSON.stringify({ key: SECRET })) },
    { name: 'JSON with escaped slashes', text: JSON.stringify(SECRET).replaceAll('/', '\\/') },
    { name: 'percent-encoded', text: `?k=${encodeURIComponent(SECRET)}` },
    {
      name: 'percent-encoded in lower case',
      text: encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase()),
    },
    { name: 'form-encoded', text: new URLSearchParams({ k: SECRET }).toString() },
    { name: 'HTML-escaped', text: SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;') },
    { name: 'HTML-escaped but for its quotes', text: SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;') },
    {
      name: 'HTML-escaped with numbers for quotes',
      text: SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#34;'),
    },
    { name: 'in HTML within JSON', text: JSON.stringify(SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;')) },
    {
      name: 'in JSON within HTML',
      text: JSON.stringify(SECRET).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    },
    { name: 'in JSON within a URL', text: encodeURIComponent(JSON.stringify({ SECRET })) },
    { name: 'in JSON within base64', text: base64(JSON.stringify({ SECRET })) },
    { name: 'in base64', text: base64(SECRET) },
    { name: 'in base64url', text: Buffer.from(SECRET).toString('base64url') },
    { name: 'as the password of Basic', text: `Basic ${base64(`user:${SECRET}`)}` },
    { name: 'within base64 at offset 1', text: base64(`x${SECRET}y`) },
    { name: 'within base64 at offset 2', text: base64(`xy${SECRET}yz`) },
  ])('finds a secret $name', ({ text }) => {
    const redacted = createRedactor([SECRET]).text(text);
    expect(redacted).toContain(REDACTED);
    expect(redacted).not.toContain(SECRET);
    expect(redacted.length).toBeLessThan(text.length + REDACTED.length);
  });

  it('takes the longest of secrets that overlap', () => {
    expect(createRedactor(['token', 'token-long']).text('token-long token')).toBe(`${REDACTED} ${REDACTED}`);
  });

  it('finds a secret whose stored form ends with a line break, and the lines of a long one', () => {
    expect(createRedactor(['demo-token\n']).text('Bearer demo-token!')).toBe(`Bearer ${REDACTED}!`);
    const key = `-----BEGIN KEY-----\n${'QUJD'.repeat(8)}\n-----END KEY-----\n`;
    expect(createRedactor([key]).text(`got ${'QUJD'.repeat(8)}`)).toBe(`got ${REDACTED}`);
  });

  it('leaves values under four characters and empty ones alone', () => {
    expect(createRedactor(['', 'a', '123', '     ']).text('a 123     ')).toBe('a 123     ');
  });

  it('is not fooled by characters that patterns know', () => {
    expect(createRedactor(['a.*+?^{}()|[]$\\/']).text('x a.*+?^{}()|[]$\\/ aXX')).toBe(`x ${REDACTED} aXX`);
  });

  it('redacts every text of a JSON value, keys included, and nothing else', () => {
    const value = { 'k-sesame': ['sesame', 1, null, { a: 'x sesame' }] };
    expect(createRedactor(['sesame']).json(value)).toEqual({
      [`k-${REDACTED}`]: [REDACTED, 1, null, { a: `x ${REDACTED}` }],
    });
  });

  it('leaves everything as it is without secrets', () => {
    const value = { a: ['x'] };
    expect(createRedactor([]).json(value)).toBe(value);
  });

  it('never lets a secret through, whatever stands around it', () => {
    const secret = fc
      .string({ minLength: 4, maxLength: 40, unit: 'grapheme' })
      .filter((text) => text.trim().length >= 4 && !/[\r\n]/.test(text));
    const spelling = fc.constantFrom(
      (text: string) => text,
      (text: string) => JSON.stringify(text).slice(1, -1),
      (text: string) => encodeURIComponent(text.toWellFormed()),
    );
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), spelling, (value, before, after, spell) => {
        const text = before + spell(value) + after;
        const redacted = createRedactor([value]).text(text);
        expect(redacted.replaceAll(REDACTED, '')).not.toContain(spell(value).length > 8 ? spell(value) : '\0never');
        expect(redacted).toContain(REDACTED);
      }),
    );
  });
});
