import type * as z from 'zod';
import type { Fault } from '../errors.ts';
import { nearestName } from '../nearest.ts';
import { issueWords } from './issue-words.ts';

type Path = readonly PropertyKey[];

export interface FaultContext {
  readonly file?: string;
  /** Keys that may stand at a path, for "did you mean". */
  knownKeys(path: Path): readonly string[];
  /** 1-based line of a path in the file, where the reader knows it. */
  lineOf?(path: Path): number | undefined;
}

/** What Zod found wrong, as faults that name the field, and the nearest known key for a mistyped one. */
export function schemaFaults(error: z.core.$ZodError, context: FaultContext): Fault[] {
  return error.issues.flatMap((issue) => faultsOf(issue, [], context));
}

function faultsOf(issue: z.core.$ZodIssue, prefix: Path, context: FaultContext): Fault[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const nearest = nearestName(key, context.knownKeys(path));
      return fault(
        [...path, key],
        `unknown key "${key}"`,
        nearest === undefined ? undefined : `did you mean "${nearest}"?`,
        context,
      );
    });
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // The branch that got furthest says most about what the person meant.
    const branches = issue.errors.map((branch) => branch.flatMap((inner) => faultsOf(inner, path, context)));
    const deepest = branches.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
    if (deepest !== undefined && deepest.length > 0) return deepest;
  }
  const { message, fix } = issueWords(issue, path);
  return [fault(path, message, fix, context)];
}

const depth = (faults: readonly Fault[]): number =>
  Math.max(0, ...faults.map((found) => (found.field ?? '').split('.').length));

function fault(path: Path, message: string, fix: string | undefined, context: FaultContext): Fault {
  const line = context.lineOf?.(path);
  return {
    ...(context.file === undefined ? {} : { file: context.file }),
    ...(line === undefined ? {} : { line }),
    ...(path.length === 0 ? {} : { field: path.map(String).join('.') }),
    message,
    ...(fix === undefined ? {} : { fix }),
  };
}
