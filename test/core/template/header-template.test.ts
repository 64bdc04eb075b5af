import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import { compileHeaders } from '../../../src/core/template/header-template.ts';
import { makeRow } from '../../fixtures/make-row.ts';

const where = 'targets.0.headers';

describe('compileHeaders', () => {
  it('renders names and values in turn and finds names without case', () => {
    const headers = compileHeaders({ Authorization: 'Bearer {{secrets.KEY}}', 'X-Row': '{{row.id}}' }, { where });
    expect(headers.secretNames).toEqual(['KEY']);
    expect(headers.configured('x-row')).toBe('{{row.id}}');
    expect(headers.configured('constructor')).toBeUndefined();
    expect(headers.render(makeRow({ id: 'r7' }), new Map([['KEY', 'k']]))).toEqual({
      ok: true,
      value: ['Authorization', 'Bearer k', 'X-Row', 'r7'],
    });
  });

  it.each(['hi\r\nX-Admin: 1', 'a\nb', 'a\rb', 'a\0b', 'a\u007fb', '日本'])(
    'a row value %j makes the row an error',
    (input) => {
      const rendered = compileHeaders({ 'X-Question': '{{input}}' }, { where }).render(makeRow({ input }), new Map());
      expect(rendered).toMatchObject({ ok: false, message: expect.stringContaining("the row's input") });
      expect(rendered.ok ? '' : rendered.message).toContain('X-Question');
    },
  );

  it.each(['Zürich', 'a\tb', ''])('carries %j', (input) => {
    const rendered = compileHeaders({ 'X-Question': '{{input}}' }, { where }).render(makeRow({ input }), new Map());
    expect(rendered).toEqual({ ok: true, value: ['X-Question', input] });
  });

  it.each<{ name: string; headers: Record<string, string>; says: string }>([
    { name: 'a name with a blank', headers: { 'X Y': '1' }, says: '"X Y"' },
    { name: 'a name with a line break', headers: { 'X\r\nY': '1' }, says: 'cannot be the name' },
    { name: 'a template as a name', headers: { '{{input}}': '1' }, says: 'cannot be the name' },
    { name: 'a length of its own', headers: { 'Content-Length': '5' }, says: 'Content-Length' },
    { name: 'a transfer encoding', headers: { 'transfer-encoding': 'chunked' }, says: 'transfer-encoding' },
    { name: 'one name twice', headers: { 'x-a': '1', 'X-A': '2' }, says: 'twice' },
    { name: 'a line break', headers: { 'x-a': '1\r\nX-Admin: 1' }, says: 'line breaks' },
    { name: 'an unknown variable', headers: { 'x-a': '{{inptu}}' }, says: 'inptu' },
  ])('refuses $name', ({ headers, says }) => {
    expect(() => compileHeaders(headers, { where })).toThrow(ConfigError);
    expect(() => compileHeaders(headers, { where })).toThrow(says);
  });
});
