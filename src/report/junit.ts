import type { RowResult } from '../core/schemas/result.ts';
import type { RunSummary } from '../core/schemas/summary.ts';
import { judgeNames, verdictWords } from './describe.ts';
import { cutText, visibleText } from './visible-text.ts';

/** A suite states its counts before its cases, so its cases wait in memory; a larger run gets several suites. */
const CASES_PER_SUITE = 10_000;
const MOST_TEXT = 4_000;

type Verdict = 'passed' | 'failure' | 'error' | 'skipped';
interface Case {
  readonly verdict: Verdict;
  readonly seconds: number;
  readonly xml: string;
}

export interface JUnitInput {
  readonly summary: RunSummary;
  readonly results: AsyncIterable<RowResult>;
}

/**
 * JUnit XML: a suite for the eval (parts of 10,000 cases), a case for each result, and first a case named `gate` that
 * fails or errs as the gate does, so that CI shows the decision even where every row passes.
 */
export async function* renderJUnit({ summary, results }: JUnitInput): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name=${attribute(`assay ${summary.eval}`)}>\n`;
  let part = 1;
  let cases: Case[] = [gateCase(summary)];
  for await (const result of results) {
    if (cases.length >= CASES_PER_SUITE) {
      yield* suite(summary, cases, part);
      part += 1;
      cases = [];
    }
    cases.push(resultCase(summary, result));
  }
  yield* suite(summary, cases, part);
  yield '</testsuites>\n';
}

function* suite(summary: RunSummary, cases: readonly Case[], part: number): Generator<string> {
  const count = (verdict: Verdict) => cases.filter((one) => one.verdict === verdict).length;
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
  const attributes = [
    `name=${attribute(part === 1 ? summary.eval : `${summary.eval} part ${part}`)}`,
    `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`,
    `time="${seconds.toFixed(3)}" timestamp=${attribute(summary.started_at)}`,
  ];
  yield `  <testsuite ${attributes.join(' ')}>\n${properties(summary)}`;
  for (const one of cases) yield one.xml;
  yield '  </testsuite>\n';
}

function properties(summary: RunSummary): string {
  const known: [string, string | number | null][] = [
    ['run_id', summary.run_id],
    ['gate', summary.gate],
    ['status', summary.status],
    ['score', summary.score],
    ['pass_rate', summary.pass_rate],
    ['coverage', summary.coverage],
    ['dataset', `${summary.dataset.id}@${summary.dataset.version}`],
    ['judge', judgeNames(summary)],
    ['policy_hash', summary.decision.policy_hash],
    ['ref', summary.ref],
    ['sha', summary.sha],
  ];
  const lines = known
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `      <property name="${name}" value=${attribute(String(value))}/>\n`);
  return `    <properties>\n${lines.join('')}    </properties>\n`;
}

function gateCase(summary: RunSummary): Case {
  const reasons = summary.decision.reasons.map((reason) => `${reason.outcome}: ${reason.text}`).join('\n');
  const text = [summary.message, reasons].filter((part) => part !== '').join('\n');
  if (summary.quarantined) {
    return testCase(summary.eval, 'gate', 0, 'skipped', `quarantined, does not decide: ${summary.message}`, text);
  }
  const verdict = ({ pass: 'passed', fail: 'failure', error: 'error' } as const)[summary.gate];
  return testCase(summary.eval, 'gate', 0, verdict, `gate ${verdictWords(summary)}: ${summary.message}`, text);
}

function resultCase(summary: RunSummary, result: RowResult): Case {
  const name = [
    result.row_id,
    result.trial > 0 ? `trial ${result.trial + 1}` : undefined,
    result.phase === 'confirm' ? 'confirm' : undefined,
  ];
  const shown = name.filter((part) => part !== undefined).join(' · ');
  const seconds = (result.latency_ms ?? 0) / 1000;
  const { verdict, message } = judge(result);
  return testCase(`${summary.eval}.${result.target}`, shown, seconds, verdict, message, details(result), result.score);
}

function judge(result: RowResult): { verdict: Verdict; message: string } {
  const cause = result.cause ?? 'unknown cause';
  if (result.status === 'skipped') return { verdict: 'skipped', message: cause };
  if (result.status !== 'scored') {
    const who = result.status === 'target_error' ? 'target error' : 'judge error';
    return { verdict: 'error', message: `${who}: ${cause}` };
  }
  if (result.passed) return { verdict: 'passed', message: '' };
  const checks = result.failed_checks.length > 0 ? result.failed_checks.join(', ') : 'score below the row mark';
  return { verdict: 'failure', message: `failed: ${checks}` };
}

function details(result: RowResult): string {
  const text = (value: unknown) => cutText(typeof value === 'string' ? value : JSON.stringify(value), MOST_TEXT / 4);
  const lines = [`input: ${text(result.input)}`];
  if (result.expected !== null) lines.push(`expected: ${text(result.expected)}`);
  if (result.output !== null) lines.push(`answer: ${text(result.output)}`);
  if (result.error !== null) lines.push(`error: ${text(result.error)}`);
  for (const [name, score] of Object.entries(result.scores)) {
    lines.push(
      `${name}: ${score.status === 'scored' ? score.value : `unscored (${score.cause})`} ${text(score.reason)}`,
    );
  }
  return lines.join('\n');
}

function testCase(
  className: string,
  name: string,
  seconds: number,
  verdict: Verdict,
  message: string,
  text: string,
  score: number | null = null,
): Case {
  const head = `classname=${attribute(className)} name=${attribute(name)} time="${seconds.toFixed(3)}"`;
  const scoreProperty =
    score === null ? '' : `      <properties><property name="score" value="${score}"/></properties>\n`;
  if (verdict === 'passed' && scoreProperty === '') return { verdict, seconds, xml: `    <testcase ${head}/>\n` };
  const short = attribute(cutText(message, 1_000));
  const outcome = {
    passed: '',
    skipped: `      <skipped message=${short}/>\n`,
    failure: `      <failure message=${short}>${escapeXml(cutText(text, MOST_TEXT))}</failure>\n`,
    error: `      <error message=${short}>${escapeXml(cutText(text, MOST_TEXT))}</error>\n`,
  }[verdict];
  return { verdict, seconds, xml: `    <testcase ${head}>\n${scoreProperty}${outcome}    </testcase>\n` };
}

function attribute(text: string): string {
  return `"${escapeXml(text).replace(/"/g, '&quot;').replace(/\n/g, '&#10;').replace(/\t/g, '&#9;')}"`;
}

/** XML 1.0 has no way to write most control characters, not even escaped: they are dropped. Tab and line feed stay. */
const notXml = /[^\P{Cc}\t\n]|[\ufffe\uffff]/gu;

function escapeXml(text: string): string {
  return visibleText(text.replace(/\r\n?/g, '\n').replace(notXml, ''))
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}
