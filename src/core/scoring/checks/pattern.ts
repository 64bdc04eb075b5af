import { RE2JS, RE2JSException } from 're2js';

export type CompiledPattern =
  | { readonly ok: true; readonly pattern: RE2JS }
  | { readonly ok: false; readonly message: string; readonly fix: string };

/** Patterns of rows come by the million; those of the configuration are few and always in use. */
const MAX_CACHED = 1000;
const cache = new Map<string, CompiledPattern>();

/** RE2 syntax: linear time on any text, no look-around, no back-references. Compiled once a pattern. */
export function compilePattern(source: string): CompiledPattern {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  const oldest = cache.keys().next();
  if (cache.size >= MAX_CACHED && oldest.done !== true) cache.delete(oldest.value);
  cache.set(source, compiled);
  return compiled;
}

function compile(source: string): CompiledPattern {
  try {
    return { ok: true, pattern: RE2JS.compile(source) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const why = error.message.replace(/^error parsing regexp: /, '');
    return { ok: false, message: `the pattern ${JSON.stringify(source)} is invalid: ${why}`, fix: remedy(source) };
  }
}

function remedy(source: string): string {
  if (/\(\?<?[=!]/.test(source)) return 'RE2 has no look-around: match the text around it, or list a second check';
  if (/\\[1-9]/.test(source)) return 'RE2 has no back-references: write the text out';
  if (source.includes('\\Z')) return 'write \\z for the end of the text';
  return 'use RE2 syntax: https://github.com/google/re2/wiki/Syntax';
}
