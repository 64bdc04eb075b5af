import { type JsonValue, jsonToText } from '../core/json.ts';
import type { RowResult } from '../core/schemas/result.ts';
import type { Claim, Score } from '../core/schemas/score.ts';
import type { TrajectoryStep } from '../core/schemas/trajectory.ts';
import { rowCostWords } from './describe.ts';
import { formatMs, formatScore } from './format.ts';
import { cutText, HIDDEN_CHARACTERS } from './visible-text.ts';
import type { Rankable } from './worst-rows.ts';

/** How much text of a row goes into the report, in UTF-16 units. */
export interface TextLimits {
  readonly perText: number;
  readonly perRow: number;
}

/** A text, or its beginning and how many UTF-16 units were left out. */
export type EmbeddedText = string | { readonly text: string; readonly cut: number };

/** A result as the report's script reads it. Members that say nothing are left out. */
export interface EmbeddedRow extends Rankable {
  readonly id: string;
  readonly target: string;
  readonly trial: number;
  readonly [member: string]: unknown;
}

const MOST_STEPS = 200;
const MOST_CONTEXTS = 50;

/** Cuts what is too long and words what the page only shows. */
export function embedRow(result: RowResult, limits: TextLimits): EmbeddedRow {
  const text = textCutter(limits);
  return {
    index: result.index,
    id: cutText(result.row_id, 512),
    target: result.target,
    trial: result.trial,
    confirm: result.phase === 'confirm' || undefined,
    status: result.status,
    cause: result.cause ?? undefined,
    passed: result.passed,
    score: result.score,
    scoreText: result.score === null ? undefined : unlikeFixed(result.score),
    latency: result.latency_ms ?? undefined,
    latencyText: result.latency_ms === null ? undefined : formatMs(result.latency_ms),
    tags: some(result.tags.slice(0, 50).map((tag) => cutText(tag, 200))),
    // In the order a reader needs them: the row's budget is spent from the top.
    output: result.output === null ? undefined : text(result.output),
    input: text(readable(result.input)),
    expected: result.expected === null ? undefined : text(readable(result.expected)),
    error: result.error === null ? undefined : text(result.error),
    failedChecks: some(result.failed_checks.slice(0, 100).map((check) => cutText(check, 500))),
    warnings: some(result.warnings.slice(0, 50).map((warning) => cutText(warning, 500))),
    scores: some(
      Object.entries(result.scores).map(([name, score]) => ({
        ...embedScore(name, score, text),
        ...(isPartOfComposite(name, result) ? { aside: undefined } : {}),
      })),
    ),
    contexts: some((result.contexts ?? []).slice(0, MOST_CONTEXTS).map(text)),
    relevant: relevantPassages(result),
    moreContexts: more(result.contexts?.length ?? 0, MOST_CONTEXTS),
    steps: some(
      (result.trajectory?.steps ?? [])
        .slice(0, MOST_STEPS)
        .map((step, at, steps) => embedStep(step, steps[at - 1], text)),
    ),
    moreSteps: more(result.trajectory?.steps.length ?? 0, MOST_STEPS),
    facts: facts(result),
    metadata: Object.keys(result.metadata).length > 0 ? text(readable(result.metadata)) : undefined,
  };
}

/** What could end the script element, and what an editor or a terminal would take as a command. */
const unsafeInScript = new RegExp(`[<>&]|${HIDDEN_CHARACTERS}`, 'gu');

/** JSON that can stand inside a script element: nothing in it can close the element or open a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(unsafeInScript, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** What the judge ruled on each passage, where one metric ruled on all of them. */
function relevantPassages({ scores, contexts }: RowResult): readonly boolean[] | undefined {
  const ruled = Object.values(scores).find(({ relevant }) => relevant?.length === contexts?.length);
  return ruled?.relevant;
}

function textCutter(limits: TextLimits): (text: string) => EmbeddedText {
  let left = limits.perRow;
  return (text) => {
    // Even with nothing left a reader sees how each text begins.
    const kept = cutText(text, Math.max(200, Math.min(limits.perText, left)));
    left -= kept.length;
    return kept.length === text.length ? text : { text: kept, cut: text.length - kept.length };
  };
}

function embedScore(name: string, score: Score, text: (value: string) => EmbeddedText) {
  const scored = score.status === 'scored';
  return {
    name: cutText(name, 200),
    value: scored ? score.value : undefined,
    valueText: scored ? unlikeFixed(score.value) : undefined,
    cause: scored ? undefined : score.cause,
    reason: score.reason === '' ? undefined : text(score.reason),
    label: score.raw_label ?? undefined,
    aside: score.in_row_score ? undefined : true,
    lowerIsBetter: score.higher_is_better ? undefined : true,
    cached: score.cached || undefined,
    repaired: score.repaired || undefined,
    claims: score.claims === undefined ? undefined : some(score.claims.map(embedClaim)),
    votes: score.votes.length > 1 ? score.votes.map(voteWords) : undefined,
  };
}

function embedClaim({ claim, supported }: Claim) {
  return { text: cutText(claim, 500), supported };
}

/** A score as text, where the page cannot write it by itself: most have three digits, and a thousand rows have many scores. */
function unlikeFixed(score: number): string | undefined {
  const text = formatScore(score);
  return text === score.toFixed(3) ? undefined : text;
}

/** What the composite weighs is in the row score after all, by way of it. */
function isPartOfComposite(name: string, { scores }: RowResult): boolean {
  return Object.hasOwn(scores, 'composite_score') && name.endsWith('_score') && name !== 'contains_score';
}

function voteWords(vote: Score['votes'][number]): string {
  const said = vote.error ?? vote.label ?? (vote.value === null ? 'no vote' : formatScore(vote.value));
  return cutText(`${vote.judge}: ${said}`, 300);
}

function embedStep(step: TrajectoryStep, before: TrajectoryStep | undefined, text: (value: string) => EmbeddedText) {
  const call = step.tool_call ?? undefined;
  const content = step.content ?? '';
  // Many agents repeat a tool's result as the observation after it, and a tool's name as the text of its call.
  const isRepeated = step.type === 'observation' && content !== '' && content === resultText(before);
  const notes = [
    isRepeated ? 'the result above' : undefined,
    typeof step.latency_ms === 'number' ? formatMs(step.latency_ms) : undefined,
    typeof step.tokens === 'number' ? `${step.tokens} tokens` : undefined,
  ];
  return {
    type: step.type,
    content: content === '' || content === call?.name || isRepeated ? undefined : text(content),
    tool: call === undefined ? undefined : cutText(call.name, 200),
    arguments: call?.arguments === undefined ? undefined : text(readable(call.arguments)),
    result: call?.result === undefined ? undefined : text(readable(call.result)),
    error: typeof call?.error === 'string' ? text(call.error) : undefined,
    ms: typeof step.latency_ms === 'number' ? Math.round(step.latency_ms) : undefined,
    notes: some(notes.filter((note) => note !== undefined)),
  };
}

function resultText(step: TrajectoryStep | undefined): string | null {
  const result = step?.tool_call?.result;
  return result === undefined ? null : jsonToText(result);
}

/** What is as it mostly is (one attempt, no model named) is left to the page. */
function facts(result: RowResult): [string, string][] {
  const tokens = result.tokens_in === null && result.tokens_out === null;
  return [
    ...(result.target_model === null ? [] : [['model', cutText(result.target_model, 200)] as [string, string]]),
    ...(result.attempts === 1 ? [] : [['attempts', String(result.attempts)] as [string, string]]),
    ['cost', rowCostWords(result.spend)],
    ['tokens', tokens ? 'not reported' : `${result.tokens_in ?? '?'} in, ${result.tokens_out ?? '?'} out`],
    ...(result.difficulty === null ? [] : [['difficulty', cutText(result.difficulty, 200)] as [string, string]]),
    ...(result.cluster === null ? [] : [['cluster', cutText(result.cluster, 200)] as [string, string]]),
  ];
}

/** Text as it is; anything else as JSON a person can read. */
function readable(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function some<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

function more(length: number, most: number): number | undefined {
  return length > most ? length - most : undefined;
}
