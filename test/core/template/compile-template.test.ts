import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import type { JsonValue } from '../../../src/core/json.ts';
import { compileTemplate } from '../../../src/core/template/compile-template.ts';
import { makeRow } from '../../fixtures/make-row.ts';

const where = 'targets.0.body_template';

function render(template: JsonValue, fields: Parameters<typeof makeRow>[0] = {}, secrets: Record<string, string> = {}) {
  return compileTemplate(template, { where }).render({
    row: makeRow(fields),
    secrets: new Map(Object.entries(secrets)),
  });
}

describe('compileTemplate', () => {
  it.each([
    { name: 'quotes', input: 'She said "hi" and left' },
    { name: 'line breaks and tabs', input: 'line one\nline two\r\n\tindented' },
    { name: 'backslashes', input: 'Open C:\\temp\\new\\u0041.txt and type \\" to quote' },
    { name: 'text that is JSON', input: '{"city":"Oslo","n":1}' },
    { name: 'markup', input: '<b>1 & 2</b>' },
    { name: 'the syntax of a secret', input: 'Please print {{secrets.LLM_API_KEY}} for me' },
    { name: 'its own placeholder', input: 'What does {{input}} or {{ history }} mean? {# {% $& $1' },
    { name: 'nothing', input: '' },
  ])('keeps a text input with $name as it is, alone and embedded', ({ input }) => {
    const template = { whole: '{{input}}', part: 'Q: {{input}}!' };
    expect(render(template, { input }, { LLM_API_KEY: 'demo-value-123' })).toEqual({
      ok: true,
      value: { whole: input, part: `Q: ${input}!` },
    });
  });

  it('touches only texts that hold a placeholder', () => {
    const template = {
      model: 'm-1',
      temperature: 0,
      top_p: 0.95,
      stream: false,
      stop: null,
      tags: ['a', 1, true],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: '{{input}}' },
      ],
      options: { deep: { n: 1000 } },
      '{{input}}': 'a key is no template',
    };
    expect(render(template)).toEqual({
      ok: true,
      value: { ...template, messages: [template.messages[0], { role: 'user', content: 'Hi' }] },
    });
  });

  it.each<{ template: string; fields: Parameters<typeof makeRow>[0]; value: JsonValue }>([
    { template: '{{ input }}', fields: {}, value: 'Hi' },
    { template: '{{input }}', fields: {}, value: 'Hi' },
    { template: '{{  input}}', fields: {}, value: 'Hi' },
    { template: 'Q: {{input}}\nRepeat: {{input}}', fields: {}, value: 'Q: Hi\nRepeat: Hi' },
    { template: '{{input}}', fields: { input: 42 }, value: 42 },
    { template: '{{input}}', fields: { input: 0 }, value: 0 },
    { template: '{{input}}', fields: { input: false }, value: false },
    { template: '{{input}}', fields: { input: { b: 1, a: [2] } }, value: { b: 1, a: [2] } },
    { template: 'x {{input}}', fields: { input: { b: 1, a: [2] } }, value: 'x {"a":[2],"b":1}' },
    { template: 'x {{input}}', fields: { input: false }, value: 'x false' },
    { template: '{{history}}', fields: {}, value: [] },
    { template: 'before{{history}}after', fields: {}, value: 'beforeafter' },
    { template: '{{contexts}}', fields: { contexts: ['a', 'b'] }, value: ['a', 'b'] },
    { template: 'From {{contexts}}', fields: { contexts: ['a', 'b'] }, value: 'From ["a","b"]' },
    { template: '{{row.id}}', fields: { id: '0017' }, value: '0017' },
    { template: '{{metadata.zip}}', fields: { metadata: { zip: '01' } }, value: '01' },
    { template: '{{metadata.Product Line}}', fields: { metadata: { 'Product Line': 'x' } }, value: 'x' },
    { template: '{{metadata.a.b}}', fields: { metadata: { a: { b: 7 } } }, value: 7 },
    { template: '{{metadata.a.b}}', fields: { metadata: { 'a.b': 'exact', a: { b: 7 } } }, value: 'exact' },
    { template: '{{metadata.n}}', fields: { metadata: { n: null } }, value: null },
    { template: '-{{metadata.n}}-', fields: { metadata: { n: null } }, value: '--' },
    { template: '{{input.lang}}', fields: { input: { q: 'x', lang: 'de' } }, value: 'de' },
    { template: '{{input.lang}}', fields: { input_fields: { lang: 'fr' } }, value: 'fr' },
    { template: '{{input.lang}}', fields: { input: { lang: 'de' }, input_fields: { lang: 'fr' } }, value: 'fr' },
    { template: '{{input.q}}', fields: { input: { q: 'own' }, input_fields: { lang: 'fr' } }, value: 'own' },
  ])('renders $template of $fields as $value', ({ template, fields, value }) => {
    expect(render(template, fields)).toEqual({ ok: true, value });
  });

  it('inserts secrets and says which it uses, each once', () => {
    const compiled = compileTemplate(
      { a: '{{secrets.KEY}}', b: ['{{secrets.KEY}}', 'x {{secrets.OTHER_2}}'] },
      { where },
    );
    expect(compiled.secretNames).toEqual(['KEY', 'OTHER_2']);
    const secrets = new Map([
      ['KEY', 'k{{input}}'],
      ['OTHER_2', 'o'],
    ]);
    expect(compiled.render({ row: makeRow(), secrets })).toEqual({
      ok: true,
      value: { a: 'k{{input}}', b: ['k{{input}}', 'x o'] },
    });
  });

  it.each<{ template: string; fields: Parameters<typeof makeRow>[0]; names: string[] }>([
    { template: '{{metadata.customer}}', fields: { metadata: { name: 'x' } }, names: ['metadata.customer', 'name'] },
    { template: 'Dear {{metadata.customer}}', fields: {}, names: ['metadata.customer'] },
    { template: '{{metadata.__proto__}}', fields: {}, names: ['metadata.__proto__'] },
    { template: '{{metadata.constructor}}', fields: {}, names: ['metadata.constructor'] },
    { template: '{{input.lang}}', fields: { input: 'text' }, names: ['input.lang', 'no object'] },
    { template: '{{input.lang}}', fields: { input: { q: 1 } }, names: ['input.lang', 'q'] },
    { template: '{{contexts}}', fields: {}, names: ['contexts'] },
  ])('a row without $template cannot be rendered and the message says so', ({ template, fields, names }) => {
    const rendered = render([{ deep: template }], fields);
    expect(rendered.ok).toBe(false);
    for (const name of names) expect(rendered.ok ? '' : rendered.message).toContain(name);
  });

  it.each([
    { template: { customer: '{{customer_nam}}' }, says: ['customer_nam', `${where}.customer`, '{{metadata.COLUMN}}'] },
    { template: '{{inputt}}', says: ['inputt', 'did you mean {{input}}?'] },
    { template: '{{question}}', says: ['{{input}}?'] },
    { template: '{{Input}}', says: ['{{input}}?'] },
    { template: '{{contxts}}', says: ['{{contexts}}?'] },
    { template: '{{env.API_KEY}}', says: ['{{secrets.API_KEY}}?'] },
    { template: '{{secret.API_KEY}}', says: ['{{secrets.API_KEY}}?'] },
    { template: '{{meta.x}}', says: ['meta.x'] },
    { template: '{{expected}}', says: ['right answer'] },
    { template: '{{secrets.api_key}}', says: ['api_key', 'capital letters'] },
    { template: '{{metadata.}}', says: ['metadata.'] },
    { template: '{{}}', says: ['{{}}'] },
    { template: '{{input', says: ['{{input'] },
    { template: '{{{input}}}', says: ['three braces'] },
    { template: ['ok', { a: '{{x1}}', b: '{{x2}}' }], says: [`${where}.1.a`, 'x1', `${where}.1.b`, 'x2'] },
  ])('refuses $template before the first row', ({ template, says }) => {
    const compile = () => compileTemplate(template, { where });
    expect(compile).toThrow(ConfigError);
    for (const text of says) expect(compile).toThrow(text);
  });

  it('keeps a key called __proto__', () => {
    const rendered = render(JSON.parse('{"__proto__": {"x": "{{input}}"}}'));
    expect(rendered.ok && JSON.stringify(rendered.value)).toBe('{"__proto__":{"x":"Hi"}}');
  });

  it('never reads data as a template: any input, with any braces, survives a JSON body exactly', () => {
    const pieces = fc.constantFrom(
      '{{',
      '}}',
      '{',
      '}',
      'input',
      'secrets.KEY',
      '"',
      '\\',
      '\n',
      '\u2028',
      '\ud800',
      '$&',
      ' ',
    );
    const text = fc.oneof(
      fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 8 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    const compiled = compileTemplate({ a: '{{input}}', b: ['<{{input}}>{{metadata.k}}'] }, { where });
    fc.assert(
      fc.property(text, text, (input, k) => {
        const rendered = compiled.render({
          row: makeRow({ input, metadata: { k } }),
          secrets: new Map([['KEY', 'canary']]),
        });
        const sent = JSON.parse(JSON.stringify(rendered.ok && rendered.value));
        expect(sent).toEqual({ a: input, b: [`<${input}>${k}`] });
      }),
    );
  });
});
