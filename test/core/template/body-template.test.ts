import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import { compileBody } from '../../../src/core/template/body-template.ts';
import { makeRow } from '../../fixtures/make-row.ts';

const where = 'targets.0.body_template';

function render(
  template: Parameters<typeof compileBody>[0],
  contentType?: string,
  input: string | object = 'a "b" & <c>',
) {
  const body = compileBody(template, contentType, { where });
  const rendered = body.render({ row: makeRow({ input: input as string }), secrets: new Map() });
  return { contentType: body.contentType, body: rendered.ok ? rendered.value : rendered };
}

describe('compileBody', () => {
  it('is JSON unless the header says otherwise', () => {
    expect(render({ q: '{{input}}' })).toEqual({ contentType: 'application/json', body: '{"q":"a \\"b\\" & <c>"}' });
    expect(render('{{input}}')).toEqual({ contentType: 'application/json', body: '"a \\"b\\" & <c>"' });
    expect(render('{{input}}', undefined, { a: 1 }).body).toBe('{"a":1}');
  });

  it('parses JSON written as text before it fills it in', () => {
    expect(render('{"q": "{{input}}"}').body).toBe('{"q":"a \\"b\\" & <c>"}');
    expect(render(' [ "{{input}}" ] ', 'application/vnd.api+json').body).toBe('["a \\"b\\" & <c>"]');
  });

  it('refuses a text that looks like JSON and is not', () => {
    expect(() => compileBody('{"q": {{input}}}', undefined, { where })).toThrow(ConfigError);
    expect(() => compileBody('{"q": {{input}}}', undefined, { where })).toThrow('quote the placeholders');
  });

  it('escapes for the content type', () => {
    expect(render('q={{input}}&x=1', 'application/x-www-form-urlencoded').body).toBe(
      'q=a%20%22b%22%20%26%20%3Cc%3E&x=1',
    );
    expect(render({ q: '{{input}}', n: 1, z: null }, 'application/x-www-form-urlencoded').body).toBe(
      'q=a+%22b%22+%26+%3Cc%3E&n=1&z=',
    );
    expect(render('<q>{{input}}</q>', 'text/xml').body).toBe('<q>a &quot;b&quot; &amp; &lt;c&gt;</q>');
    expect(render('{{input}}', 'text/plain').body).toBe('a "b" & <c>');
  });
});
