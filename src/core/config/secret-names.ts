import type { EvalConfig } from '../schemas/eval.ts';

const SECRET = /\{\{\s*secrets\.([^}\s]+)\s*\}\}/g;

/** Names of all secrets that the targets and judges of an eval refer to, each once. */
export function secretNamesOf(config: Pick<EvalConfig, 'targets' | 'judges'>): string[] {
  return secretNamesIn([config.targets, config.judges]);
}

/** Names of all secrets that texts anywhere in a value refer to, each once. */
export function secretNamesIn(value: unknown): string[] {
  const names = new Set<string>();
  collect(value, names);
  return [...names];
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value === 'string') for (const match of value.matchAll(SECRET)) names.add(match[1] ?? '');
  else if (Array.isArray(value)) for (const item of value) collect(item, names);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) collect(item, names);
}
