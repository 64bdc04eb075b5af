import type * as z from 'zod';
import { nearestName } from '../nearest.ts';

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

export interface IssueWords {
  readonly message: string;
  readonly fix?: string;
}

/** What Zod found wrong in plain words. The value itself is named where the parser reports its input. */
export function issueWords(issue: Issue, path: Path): IssueWords {
  if (issue.code === 'invalid_type') return { message: typeWords(issue, path) };
  if (issue.code === 'too_small') {
    const relation = issue.inclusive === false ? 'more than' : 'at least';
    return { message: sizeWords(issue, relation, issue.minimum) };
  }
  if (issue.code === 'too_big') {
    const relation = issue.inclusive === false ? 'less than' : 'at most';
    return { message: sizeWords(issue, relation, issue.maximum) };
  }
  if (issue.code === 'invalid_value') return choiceWords(issue.values.map(String), issue.input, path);
  const choices = discriminators(issue);
  if (choices !== null) return choiceWords(choices.options, choices.given, path);
  return { message: issue.message.replace(/^Invalid input: /, '') };
}

/** Zod says "expected string, received undefined" for a key that is not there. */
function typeWords(issue: Extract<Issue, { code: 'invalid_type' }>, path: Path): string {
  const received = /received (\S+)$/.exec(issue.message)?.[1] ?? 'something else';
  const expected = issue.expected as string;
  if (received === 'undefined') return `"${String(path.at(-1) ?? '')}" is missing (${expected})`;
  if (received === 'null')
    return path.length === 0 ? 'the file is empty' : `${expected} expected, but nothing is written here`;
  const found = scalar(issue.input) ?? nounOf(received);
  return `must be ${nounOf(expected)}, not ${found}`;
}

type SizeIssue = Extract<Issue, { code: 'too_small' | 'too_big' }>;

function sizeWords(issue: SizeIssue, relation: string, limit: number | bigint): string {
  if (issue.origin === 'string') {
    return limit === 1 && issue.code === 'too_small'
      ? 'must not be empty'
      : `must have ${relation} ${limit} characters`;
  }
  if (issue.origin === 'array' || issue.origin === 'set') {
    return limit === 1 && issue.code === 'too_small' ? 'must not be empty' : `must have ${relation} ${limit} entries`;
  }
  const found = scalar(issue.input);
  return `must be ${relation} ${limit}${found === null ? '' : `, not ${found}`}`;
}

function choiceWords(options: readonly string[], given: unknown, path: Path): IssueWords {
  const known = `one of ${options.join(', ')}`;
  if (given === undefined) return { message: `must be ${known}` };
  if (typeof given !== 'string') return { message: `must be ${known}, not ${scalar(given) ?? 'something else'}` };
  const nearest = nearestName(given, options);
  const message = `unknown ${String(path.at(-1) ?? 'value')} ${JSON.stringify(given)}`;
  return { message, fix: nearest === undefined ? known : `did you mean "${nearest}"?` };
}

/** The types there are, and the one that is written. */
function discriminators(issue: Issue): { options: readonly string[]; given: unknown } | null {
  if (!('discriminator' in issue) || !('options' in issue) || !Array.isArray(issue.options)) return null;
  const { input, discriminator } = issue;
  const given =
    typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[String(discriminator)] : undefined;
  return { options: issue.options.map(String), given };
}

const NOUNS: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const nounOf = (type: string): string => NOUNS[type] ?? type;

/** A value short enough to be shown; texts in quotes, so that "0" and 0 differ. */
function scalar(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.length <= MAX_SHOWN ? JSON.stringify(value) : null;
}
const MAX_SHOWN = 40;
