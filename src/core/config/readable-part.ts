import type * as z from 'zod';
import type { Fault } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { type EvalFile, EvalFileSchema } from '../schemas/eval.ts';

export interface ReadablePart {
  readonly file: EvalFile;
  /** Top-level keys whose values were left out or stood in for. */
  readonly unread: ReadonlySet<string>;
}

/** What stands in for a key that cannot be read, such that nothing else depends on it. */
const STAND_INS: Readonly<Record<string, JsonObject>> = {
  name: { name: 'unread' },
  dataset: { dataset: 'unread' },
  target: { target: { url: 'https://unread.invalid' } },
  targets: { target: { url: 'https://unread.invalid' } },
  judge: { judge: { type: 'lexical' } },
};

/** The eval without the keys that are wrong, so that the rest can be checked too. Null when too little is left. */
export function readablePart(raw: unknown, error: z.ZodError): ReadablePart | null {
  if (!isJsonObject(raw)) return null;
  const copy: JsonObject = { ...raw };
  const unread = new Set<string>();
  for (const issue of error.issues) {
    const [key, below] = issue.path.map(String);
    if (issue.code === 'unrecognized_keys' && key === undefined) {
      for (const unknown of issue.keys) delete copy[unknown];
    } else if (key === undefined) {
      return null;
    } else if (key === 'thresholds' && isJsonObject(copy.thresholds)) {
      const wrong = issue.code === 'unrecognized_keys' ? issue.keys : [below];
      const kept = Object.entries(copy.thresholds).filter(([name]) => !wrong.includes(name));
      copy.thresholds = Object.fromEntries(kept);
    } else {
      unread.add(key);
      delete copy[key];
    }
  }
  for (const key of unread) Object.assign(copy, STAND_INS[key]);
  const parsed = EvalFileSchema.safeParse(copy);
  return parsed.success ? { file: parsed.data, unread } : null;
}

/** Without what is said about stand-ins: of keys that were not read, or that hang on them. */
export function aboutWhatWasRead(faults: readonly Fault[], unread: ReadonlySet<string>): readonly Fault[] {
  const measures = unread.has('metrics') || unread.has('scorers');
  const void_ = new Set([...unread, ...(measures ? ['judge', 'veto', 'rubric', 'metrics', 'scorers'] : [])]);
  if (unread.has('target') || unread.has('targets')) for (const key of ['target', 'targets']) void_.add(key);
  return faults.filter(({ field = '' }) => {
    const key = field.split('.')[0] ?? '';
    return !void_.has(key) && !(measures && field.startsWith('thresholds.metric_floors'));
  });
}

/** Faults of a later look after those of an earlier one: a field that was named already is not named again. */
export function withFurther(first: readonly Fault[], further: readonly Fault[]): readonly Fault[] {
  const named = new Set(first.map(keyOf));
  return [...first, ...further.filter((fault) => !named.has(keyOf(fault)))];
}

/** Faults without a field are told apart by what they say. */
const keyOf = ({ field, message }: Fault): string => (field === undefined ? ` ${message}` : field);
