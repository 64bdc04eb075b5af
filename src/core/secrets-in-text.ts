import { createRedactor, MIN_SECRET_LENGTH } from './redact.ts';

/** Names the secret whose value stands in a text, as it would be redacted there; null when none does. */
export type FindSecret = (text: string) => string | null;

export function secretFinder(values: ReadonlyMap<string, string>): FindSecret {
  if (values.size === 0) return () => null;
  const all = createRedactor(values.values());
  const each = [...values].map(([name, value]) => ({ name, redactor: createRedactor([value]) }));
  return (text) => {
    if (all.text(text) === text) return null;
    return each.find(({ redactor }) => redactor.text(text) !== text)?.name ?? null;
  };
}

/** Secrets that are not redacted because they are too short, as people read it. */
export function shortSecretWarnings(values: ReadonlyMap<string, string>): readonly string[] {
  return [...values]
    .filter(([, value]) => value.trim().length < MIN_SECRET_LENGTH)
    .map(([name]) => `secret ${name} has fewer than ${MIN_SECRET_LENGTH} characters: it is not redacted in results`);
}
