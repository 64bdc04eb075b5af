import { canonicalJson, type JsonValue, sha256Hex } from '../json.ts';
import { RowIdSchema } from '../schemas/row.ts';
import type { RawRow } from './raw-row.ts';

/** The id a row gives, or the first 16 hex digits of SHA-256 over the RFC 8785 JSON of its input. */
export function readRowId(row: RawRow, input: JsonValue): string {
  const given = row.fields.get('id')?.value ?? '';
  if (typeof given === 'string' ? given.trim() === '' : false) return deriveRowId(input);
  if (typeof given === 'number' && Number.isInteger(given) && !Number.isSafeInteger(given)) {
    row.report({ field: 'id', message: 'the id is too large for a JSON number', fix: 'put it in quotes' });
    return '';
  }
  if (typeof given !== 'string' && typeof given !== 'number') {
    row.report({ field: 'id', message: 'an id is text or a number' });
    return '';
  }
  const id = String(given);
  if (PLAIN_ID.test(id)) return id;
  const checked = RowIdSchema.safeParse(id);
  for (const issue of checked.error?.issues ?? []) row.report({ field: 'id', message: issue.message });
  if (!id.isWellFormed()) row.report({ field: 'id', message: 'the id holds half a character (a lone surrogate)' });
  return id;
}

/** Ids that need no closer look. */
const PLAIN_ID = /^[\w.:/-]{1,500}$/;

export function deriveRowId(input: JsonValue): string {
  return sha256Hex(canonicalJson(input)).slice(0, 16);
}
