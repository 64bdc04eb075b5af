import * as z from 'zod';
import type { Fault } from '../../errors.ts';
import { type JsonValue, jsonToText } from '../../json.ts';
import { nearestName } from '../../nearest.ts';
import type { EvalConfig, ScorerSpec } from '../../schemas/eval.ts';
import type { Row } from '../../schemas/row.ts';
import { extractText } from './extract.ts';
import { compilePattern } from './pattern.ts';
import { findCheck, suggestCheck } from './registry.ts';
import { FROM_FORM, isFrom, type RowValues, readFrom } from './row-values.ts';
import { shorten } from './shorten.ts';
import type { AnswerFacts, CheckResult, TextCheck } from './text-check.ts';

type CheckConfig = Pick<EvalConfig, 'text_match' | 'word_boundary'>;

/** Options of every check that compares the answer with an expected text. */
const COMMON_OPTIONS = ['extract', 'value', 'from'];

/** What is wrong with a text check as the eval lists it: its name, its options, its `extract` pattern. */
export function checkFaults(spec: ScorerSpec, index: number, alsoKnown: readonly string[]): readonly Fault[] {
  const field = `scorers.${index}`;
  const check = findCheck(spec.check);
  if (check === undefined) {
    return [{ field, message: `unknown check "${spec.check}"`, fix: suggestCheck(spec.check, alsoKnown) }];
  }
  const { common, own } = splitOptions(check, spec.options);
  const faults: Fault[] = optionFaults(check, own).map((fault) => ({ ...fault, field: `${field}.${spec.check}` }));
  for (const fault of [...extractFaults(common.extract), ...sourceFaults(common)]) {
    faults.push({ ...fault, field: `${field}.${spec.check}.${fault.field}` });
  }
  if (faults.length > 0) return faults;
  const fault = check.faultOfOptions?.(check.options.parse(own)) ?? null;
  if (fault !== null) return [{ field: `${field}.${spec.check}`, ...fault }];
  return common.value === undefined ? [] : valueFaults(spec, common.value, `${field}.${spec.check}.value`);
}

/** What a row lacks for the check. Call only with a spec that `checkFaults` passed. */
export function expectedFaults(spec: ScorerSpec, row: Pick<Row, 'id' | 'expected'> & RowValues): readonly Fault[] {
  const { check, from, value } = resolve(spec);
  // One value for all rows was looked at with the configuration; a row that lacks its own is not checked.
  if (check.needsExpected === false || value !== undefined) return [];
  const text = expectedText(from === null ? row.expected : readFrom(from, row));
  if (text === null && from !== null) return [];
  if (text === null) {
    const message = `row "${row.id}" has no expected answer, which ${spec.name} needs`;
    return [{ field: 'expected', message, fix: 'fill in expected, or leave the row out' }];
  }
  const fault = textFault(spec, text);
  return fault === null ? [] : [{ ...fault, field: from ?? 'expected', message: `row "${row.id}": ${fault.message}` }];
}

/** Compares an answer with an expected value. The row has passed `expectedFaults`; a blank expected never passes. */
export function runCheck(
  spec: ScorerSpec,
  answer: string,
  expected: JsonValue,
  config: CheckConfig,
  facts: AnswerFacts = {},
): CheckResult {
  const { check, options, extract, value } = resolve(spec);
  const rules = { textMatch: config.text_match, wordBoundary: config.word_boundary };
  if (check.needsExpected === false) return check.compare(answer, '', options, rules, facts);
  const wanted = expectedText(value ?? expected);
  if (wanted === null) return cannotCompare('the row has no expected answer');
  if (extract === null) return check.compare(answer, wanted, options, rules, facts);

  const part = extractText(extract, answer);
  if (part === null) return cannotCompare(`extract ${JSON.stringify(extract)} finds nothing in the answer`);
  const wantedPart = check.expectedAsWritten === true ? wanted : extractText(extract, wanted);
  if (wantedPart === null || wantedPart.trim() === '') {
    return cannotCompare(`extract ${JSON.stringify(extract)} finds nothing in the expected answer`);
  }
  return check.compare(part, wantedPart, options, rules, facts);
}

/** The same for a row; null when the check takes its text `from` the row and the row has none. */
export function runRowCheck(
  spec: ScorerSpec,
  answer: string,
  row: Pick<Row, 'expected'> & RowValues,
  config: CheckConfig,
  facts: AnswerFacts = {},
): CheckResult | null {
  const { check, from } = resolve(spec);
  if (from === null || check.needsExpected === false) return runCheck(spec, answer, row.expected, config, facts);
  const value = readFrom(from, row);
  return expectedText(value) === null ? null : runCheck(spec, answer, value, config, facts);
}

/** Expected as text, or null when there is none or only blanks. */
export function expectedText(expected: JsonValue): string | null {
  if (expected === null) return null;
  const text = jsonToText(expected);
  return text.trim() === '' ? null : text;
}

const cannotCompare = (reason: string): CheckResult => ({ passed: false, isError: true, reason });

interface ResolvedCheck {
  readonly check: TextCheck;
  readonly options: object;
  readonly extract: string | null;
  readonly from: string | null;
  readonly value: JsonValue | undefined;
}

/** Specs belong to a configuration and live as long as it does; each is read once, not once a row. */
const resolved = new WeakMap<ScorerSpec, ResolvedCheck>();

function resolve(spec: ScorerSpec): ResolvedCheck {
  const known = resolved.get(spec);
  if (known !== undefined) return known;
  const check = findCheck(spec.check);
  if (check === undefined) throw new TypeError(`unknown check "${spec.check}"; configurations are checked first`);
  const { common, own } = splitOptions(check, spec.options);
  const { extract, from, value } = common;
  const made = {
    check,
    options: check.options.parse(own),
    extract: typeof extract === 'string' ? extract : null,
    from: typeof from === 'string' ? from : null,
    value,
  };
  resolved.set(spec, made);
  return made;
}

function splitOptions(check: TextCheck, options: ScorerSpec['options']) {
  if (check.needsExpected === false) return { common: {} as Record<string, JsonValue>, own: options };
  const common: Record<string, JsonValue> = {};
  const own: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(options)) (COMMON_OPTIONS.includes(key) ? common : own)[key] = value;
  return { common, own };
}

function extractFaults(extract: JsonValue | undefined): Fault[] {
  if (extract === undefined) return [];
  const field = 'extract';
  if (typeof extract !== 'string' || extract === '') {
    return [{ field, message: 'extract is a regular expression, as text', fix: "such as extract: '#### (.+)'" }];
  }
  const compiled = compilePattern(extract);
  return compiled.ok ? [] : [{ field, message: compiled.message, fix: compiled.fix }];
}

function sourceFaults({ value, from }: Record<string, JsonValue>): Fault[] {
  if (value !== undefined && from !== undefined) {
    return [{ field: 'from', message: 'both value and from are given', fix: 'keep one of them' }];
  }
  if (from !== undefined && !isFrom(from)) return [{ field: 'from', ...FROM_FORM }];
  if (value === undefined || expectedText(value) !== null) return [];
  return [{ field: 'value', message: 'value is empty: a check against nothing cannot fail', fix: 'fill it in' }];
}

function valueFaults(spec: ScorerSpec, value: JsonValue, field: string): Fault[] {
  const text = expectedText(value);
  const fault = text === null ? null : textFault(spec, text);
  return fault === null ? [] : [{ ...fault, field }];
}

/** What makes a text unusable as the expected one, `extract` applied. */
function textFault(spec: ScorerSpec, text: string): { message: string; fix: string } | null {
  const { check, options, extract } = resolve(spec);
  const compared = extract === null || check.expectedAsWritten === true ? text : extractText(extract, text);
  if (compared === null || compared.trim() === '') {
    const message = `extract ${JSON.stringify(extract)} finds nothing in the expected ${shorten(text)}`;
    return { message, fix: `change the pattern of ${spec.name}, or the expected answer` };
  }
  return check.faultOfExpected?.(compared, options) ?? null;
}

function optionFaults(check: TextCheck, options: Record<string, JsonValue>): { message: string; fix?: string }[] {
  const parsed = check.options.safeParse(options);
  if (parsed.success) return [];
  const own = check.options instanceof z.ZodObject ? Object.keys(check.options.shape) : [];
  const known = check.needsExpected === false ? own : [...own, ...COMMON_OPTIONS];
  return parsed.error.issues.flatMap((issue): { message: string; fix?: string }[] => {
    if (issue.code !== 'unrecognized_keys') {
      return [{ message: `${issue.path.join('.')}: ${issue.message}`.replace(/^: /, '') }];
    }
    return issue.keys.map((key) => {
      const nearest = nearestName(key, known);
      const fix = nearest === undefined ? `it takes ${known.join(', ')}` : `did you mean "${nearest}"?`;
      return { message: `${check.name} has no option "${key}"`, fix };
    });
  });
}
