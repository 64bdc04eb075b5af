import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import { compileUrl } from '../../../src/core/template/url-template.ts';
import { makeRow } from '../../fixtures/make-row.ts';

const where = 'targets.0.url';

function render(url: string, input: string, secrets: Record<string, string> = {}) {
  return compileUrl(url, { where })
    .bind(new Map(Object.entries(secrets)))
    .render(makeRow({ input, metadata: { k: input } }));
}

describe('compileUrl', () => {
  it.each([
    { url: 'https://a.example/x', input: 'y', value: 'https://a.example/x' },
    { url: ' https://a.example/x ', input: 'y', value: 'https://a.example/x' },
    { url: 'https://a.example/q?t={{input}}', input: 'a b&c=d#e', value: 'https://a.example/q?t=a%20b%26c%3Dd%23e' },
    { url: 'https://a.example?t={{input}}', input: '?', value: 'https://a.example?t=%3F' },
    { url: 'https://a.example/{{input}}/x', input: 'a/../b\\c', value: 'https://a.example/a%2F..%2Fb%5Cc/x' },
    { url: 'https://a.example/{{input}}', input: '日本\n', value: 'https://a.example/%E6%97%A5%E6%9C%AC%0A' },
    { url: 'https://a.example/{{input}}', input: '\ud800', value: 'https://a.example/%EF%BF%BD' },
    {
      url: 'https://a.example/{{input}}',
      input: '{{secrets.KEY}}',
      value: 'https://a.example/%7B%7Bsecrets.KEY%7D%7D',
    },
  ])('renders $url with $input as $value', ({ url, input, value }) => {
    expect(render(url, input)).toEqual({ ok: true, value });
  });

  it.each<{ url: string; secrets: Record<string, string>; value: string }>([
    {
      url: '{{secrets.BASE}}/q?t={{input}}',
      secrets: { BASE: 'https://a.example/v1' },
      value: 'https://a.example/v1/q?t=Hi',
    },
    {
      url: 'https://{{secrets.HOST}}/{{input}}',
      secrets: { HOST: 'a.example:8443' },
      value: 'https://a.example:8443/Hi',
    },
    {
      url: 'https://a.example/{{secrets.PATH}}',
      secrets: { PATH: 'T0/B0/x y' },
      value: 'https://a.example/T0/B0/x%20y',
    },
    {
      url: 'https://a.example/?k={{secrets.K}}',
      secrets: { K: 'a/b+c&d' },
      value: 'https://a.example/?k=a%2Fb%2Bc%26d',
    },
  ])('puts secrets anywhere: $url', ({ url, secrets, value }) => {
    expect(render(url, 'Hi', secrets)).toEqual({ ok: true, value });
  });

  it.each([
    '{{input}}',
    '{{input}}://a.example/',
    'https://{{input}}/x',
    'https://a.example{{input}}',
    'https://a.example{{input}}/x',
    'https://a.example:{{metadata.k}}/x',
    'https://{{metadata.k}}@a.example/x',
    'https:/{{input}}',
  ])('refuses a row value before the path: %s', (url) => {
    expect(() => compileUrl(url, { where })).toThrow(ConfigError);
    expect(() => compileUrl(url, { where })).toThrow(where);
  });

  it('refuses it when only the secret shows that the host goes on', () => {
    const url = compileUrl('{{secrets.BASE}}{{input}}/x', { where });
    expect(() => url.bind(new Map([['BASE', 'https://a.example']]))).toThrow(ConfigError);
    expect(() => url.bind(new Map([['BASE', 'https://a.example/']]))).not.toThrow();
  });

  it.each(['.', '..'])('does not let a row value climb the path: %s', (input) => {
    expect(render('https://a.example/tenant/{{input}}/x', input)).toMatchObject({ ok: false });
    expect(render('https://a.example/tenant/x{{input}}', input)).toEqual({
      ok: true,
      value: `https://a.example/tenant/x${input}`,
    });
    expect(render('https://a.example/?q=/{{input}}/', input)).toEqual({
      ok: true,
      value: `https://a.example/?q=/${input}/`,
    });
  });

  it('leaves the dots of the configuration alone', () => {
    expect(render('https://a.example/a/../{{input}}', 'x')).toEqual({ ok: true, value: 'https://a.example/a/../x' });
  });

  it('never lets a row value change where the request goes', () => {
    const bound = compileUrl('https://a.example:8443/v1/{{input}}/x?q={{input}}&z=1', { where }).bind(new Map());
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (input) => {
        const rendered = bound.render(makeRow({ input }));
        if (!rendered.ok) return;
        const url = new URL(rendered.value);
        expect(url.origin).toBe('https://a.example:8443');
        expect(url.pathname.split('/')).toHaveLength(4);
        expect(url.searchParams.get('q')).toBe(input.toWellFormed());
        expect([...url.searchParams.keys()]).toEqual(['q', 'z']);
        expect(url.hash).toBe('');
      }),
    );
  });
});
