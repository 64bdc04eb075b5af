const LONGEST = 63;

/** "Läden FAQ_2" → laden-faq-2: the form of ids, at most 63 characters. Empty where no letter a to z and no digit is left. */
export function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
}
