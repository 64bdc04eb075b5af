import * as z from 'zod';

/** How text is compared: by what it means to a reader, as supereval does (lower-casing only), or letter by letter. */
export type TextMatch = 'normalized' | 'literal' | 'verbatim';

/** How the eval compares text, for all its checks. */
export interface TextRules {
  readonly textMatch: TextMatch;
  readonly wordBoundary: boolean;
}

/** Options of every check that compares text. */
export const TextOptionsSchema = z.strictObject({
  /** Letter by letter, no folding at all. @default false */
  case_sensitive: z.boolean().optional(),
});

/** The eval's rules, unless the check wants letter by letter. */
export function rulesFor(options: { readonly case_sensitive?: boolean | undefined }, rules: TextRules): TextRules {
  return options.case_sensitive === true ? { ...rules, textMatch: 'verbatim' } : rules;
}

/**
 * Text as checks compare it. `normalized`: NFKC, upper, lower, final sigma as sigma, NFKC, each run of white space
 * (no-break spaces too) one blank; no locale, so İ and ß fold the same everywhere. `literal`: lower case. `verbatim`:
 * as it is.
 */
export function foldText(text: string, match: TextMatch): string {
  if (match === 'verbatim') return text;
  if (match === 'literal') return text.toLowerCase();
  // Upper-casing before lower-casing is what makes ß equal SS; the capital ẞ has no upper case, so it is made ß before.
  const cased = text.normalize('NFKC').replaceAll('ẞ', 'ß').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return cased.normalize('NFKC').replace(/\s+/gu, ' ');
}
