import { describe, expect, it } from 'vitest';
import { RowSchema } from '../../../src/core/schemas/row.ts';
import { compileTemplate } from '../../../src/core/template/compile-template.ts';

const row = (fields: object) => RowSchema.parse({ id: 'r', index: 0, input: 'Summarise', ...fields });
const render = (template: string, fields: object) =>
  compileTemplate(template, { where: 'prompt' }).render({ row: row(fields), secrets: new Map() });

describe('optional keys', () => {
  it.each([
    { name: 'a key that is there', fields: { input_fields: { document: 'the text' } }, value: 'Do: the text' },
    { name: 'a key that is null', fields: { input_fields: { document: null } }, value: 'Do: ' },
    { name: 'a key that is absent', fields: { input_fields: { instruction: 'x' } }, value: 'Do: ' },
    { name: 'an input that has no keys', fields: {}, value: 'Do: ' },
  ])('$name', ({ fields, value }) => {
    expect(render('Do: {{input.document?}}', fields)).toEqual({ ok: true, value });
  });

  it('metadata too, and alone it is empty text', () => {
    expect(render('{{ metadata.note? }}', {})).toEqual({ ok: true, value: '' });
  });

  it('a column whose name ends in a question mark is still found', () => {
    expect(render('{{metadata.really?}}', { metadata: { 'really?': 'yes' } })).toEqual({ ok: true, value: 'yes' });
  });

  it('without the mark an absent key stays a fault of the row', () => {
    expect(render('Do: {{input.document}}', {}).ok).toBe(false);
  });
});
