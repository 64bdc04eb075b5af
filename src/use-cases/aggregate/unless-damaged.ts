import * as z from 'zod';
import { StorageError } from '../../core/errors.ts';

/** What was read, or null where what lies there is gone, damaged or not what Assay wrote. Bugs throw. */
export async function unlessDamaged<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StorageError || error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}
