import * as z from 'zod';
import { InvalidCursorError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/json.ts';

const CursorSchema = z.tuple([z.literal(1), z.string(), z.string()]);

/** An opaque cursor that holds only for the list named by `list` and stands after the entry `position`. */
export function makeCursor(list: string, position: string): string {
  return Buffer.from(JSON.stringify([1, listName(list), position])).toString('base64url');
}

/** Position of a cursor that `makeCursor` gave for the same list; undefined without a cursor. Throws InvalidCursorError. */
export function readCursor(list: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new InvalidCursorError('the cursor is damaged: begin again without one');
  }
  const parsed = CursorSchema.safeParse(content);
  if (!parsed.success) throw new InvalidCursorError('the cursor is damaged: begin again without one');
  const [, name, position] = parsed.data;
  if (name !== listName(list)) {
    throw new InvalidCursorError('the cursor belongs to another list: begin again without one');
  }
  return position;
}

const MOST_ON_A_PAGE = 1_000;

/** Entries on one page: what was asked, from 1 to 1000. */
export function pageSize(limit: number): number {
  return Math.max(1, Math.min(MOST_ON_A_PAGE, Math.floor(limit) || 1));
}

function listName(list: string): string {
  return sha256Hex(list).slice(0, 16);
}
