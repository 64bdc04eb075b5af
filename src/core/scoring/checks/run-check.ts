import * as z from 'zod';
import type { Fault } from '../../errors.ts';
import { type JsonValue, jsonToText } from '../../json.ts';
import { nearestName } from '../../nearest.ts';
import type { EvalConfig, ScorerSpec } from '../../schemas/eval.ts';
import type { Row } from '../../schemas/row.ts';
import { extractText } from './extract.ts';
import { compilePattern } from './pattern.ts';
import { findCheck, suggestCheck } from './registry.ts';
import { shorten } from './shorten.ts';
import type { CheckResult, TextCheck } from './text-check.ts';

type CheckConfig = Pick<EvalConfig, 'text_match' | 'word_boundary'>;

/** What is wrong with a text check as the eval lists it: its name, its options, its `extract` pattern. */
export function checkFaults(spec: ScorerSpec, index: number, alsoKnown: readonly string[]): readonly Fault[] {
  const field = `scorers.${index}`;
  const check = findCheck(spec.check);
  if (check === undefined) {
    return [{ field, message: `unknown check "${spec.check}"`, fix: suggestCheck(spec.check, alsoKnown) }];
  }
  const { extract, ...own } = spec.options;
  const faults: Fault[] = optionFaults(check, own).map((fault) => ({ ...fault, field: `${field}.${spec.check}` }));
  if (extract === undefined) return faults;
  const place = { field: `${field}.${spec.check}.extract` };
  if (typeof extract !== 'string' || extract === '') {
    faults.push({ ...place, message: 'extract is a regular expression, as text', fix: "such as extract: '#### (.+)'" });
    return faults;
  }
  const compiled = compilePattern(extract);
  if (!compiled.ok) faults.push({ ...place, message: compiled.message, fix: compiled.fix });
  return faults;
}

/** What a row lacks for the check. Call only with a spec that `checkFaults` passed. */
export function expectedFaults(spec: ScorerSpec, row: Pick<Row, 'id' | 'expected'>): readonly Fault[] {
  const { check, options, extract } = resolve(spec);
  const place = { field: 'expected' };
  const text = expectedText(row.expected);
  if (text === null) {
    const message = `row "${row.id}" has no expected answer, which ${spec.name} needs`;
    return [{ ...place, message, fix: 'fill in expected, or leave the row out' }];
  }
  const compared = extract === null || check.expectedIsPattern === true ? text : extractText(extract, text);
  if (compared === null || compared.trim() === '') {
    const message = `row "${row.id}": extract ${JSON.stringify(extract)} finds nothing in the expected ${shorten(text)}`;
    return [{ ...place, message, fix: `change the pattern of ${spec.name}, or the expected answer` }];
  }
  const fault = check.faultOfExpected?.(compared, options) ?? null;
  return fault === null ? [] : [{ ...place, message: `row "${row.id}": ${fault.message}`, fix: fault.fix }];
}

/** Compares an answer. The row has passed `expectedFaults`; a blank expected still never passes. */
export function runCheck(spec: ScorerSpec, answer: string, expected: JsonValue, config: CheckConfig): CheckResult {
  const { check, options, extract } = resolve(spec);
  const wanted = expectedText(expected);
  if (wanted === null) return { passed: false, reason: 'the row has no expected answer' };
  const rules = { textMatch: config.text_match, wordBoundary: config.word_boundary };
  if (extract === null) return check.compare(answer, wanted, options, rules);

  const part = extractText(extract, answer);
  if (part === null) return { passed: false, reason: `extract ${JSON.stringify(extract)} finds nothing in the answer` };
  const wantedPart = check.expectedIsPattern === true ? wanted : extractText(extract, wanted);
  if (wantedPart === null || wantedPart.trim() === '') {
    return { passed: false, reason: `extract ${JSON.stringify(extract)} finds nothing in the expected answer` };
  }
  return check.compare(part, wantedPart, options, rules);
}

/** Expected as text, or null when there is none or only blanks. */
export function expectedText(expected: JsonValue): string | null {
  if (expected === null) return null;
  const text = jsonToText(expected);
  return text.trim() === '' ? null : text;
}

function resolve(spec: ScorerSpec): { check: TextCheck; options: object; extract: string | null } {
  const check = findCheck(spec.check);
  if (check === undefined) throw new TypeError(`unknown check "${spec.check}"; configurations are checked first`);
  const { extract, ...own } = spec.options;
  return { check, options: check.options.parse(own), extract: typeof extract === 'string' ? extract : null };
}

function optionFaults(check: TextCheck, options: Record<string, JsonValue>): { message: string; fix?: string }[] {
  const parsed = check.options.safeParse(options);
  if (parsed.success) return [];
  const known = [...(check.options instanceof z.ZodObject ? Object.keys(check.options.shape) : []), 'extract'];
  return parsed.error.issues.flatMap((issue): { message: string; fix?: string }[] => {
    if (issue.code !== 'unrecognized_keys') return [{ message: `${issue.path.join('.')}: ${issue.message}` }];
    return issue.keys.map((key) => {
      const nearest = nearestName(key, known);
      const fix = nearest === undefined ? `it takes ${known.join(', ')}` : `did you mean "${nearest}"?`;
      return { message: `${check.name} has no option "${key}"`, fix };
    });
  });
}
