/** How text is compared: by what it means to a reader, or as supereval does (lower-casing only). */
export type TextMatch = 'normalized' | 'literal';

/**
 * Text as checks compare it. `normalized`: NFKC, upper, lower, final sigma as sigma, NFKC, each run of white space
 * (no-break spaces too) one blank; no locale, so İ and ß fold the same everywhere. `literal`: lower case.
 */
export function foldText(text: string, match: TextMatch): string {
  if (match === 'literal') return text.toLowerCase();
  // Upper-casing before lower-casing is what makes ß equal SS; the capital ẞ has no upper case, so it is made ß before.
  const cased = text.normalize('NFKC').replaceAll('ẞ', 'ß').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return cased.normalize('NFKC').replace(/\s+/gu, ' ');
}
