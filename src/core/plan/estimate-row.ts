import { compileChat } from '../agent/chat-prompt.ts';
import { jsonToText } from '../json.ts';
import { deriveNonce } from '../judging/nonce.ts';
import type { JudgeQuestion } from '../judging/question.ts';
import { renderPrompt } from '../judging/render-prompt.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import type { JudgeConfig } from '../schemas/judge-config.ts';
import type { Row } from '../schemas/row.ts';
import type { EvalScoring } from '../scoring/eval-scoring.ts';
import { estimateRequestTokens, estimateTokens } from './estimate-tokens.ts';

/** Tokens of a model for one row and trial: as they will likely be, and the most they can be. */
export interface TokenEstimate {
  calls: number;
  callsAtMost: number;
  input: number;
  inputAtMost: number;
  output: number;
  outputAtMost: number;
}

/** An answer is taken to be as long as the expected one, and at least this; where none is expected, just this. */
const ANSWER_TOKENS = 200;
/** A label or number with its sentence of reason. */
const VERDICT_TOKENS = 60;
/** A reply that cannot be read is asked for once more. */
const CALLS_A_QUESTION = 2;

export type RowEstimator = (row: Row) => {
  /** By target position; null where the target reports no tokens, so that nothing can be said. */
  readonly targets: readonly (TokenEstimate | null)[];
  /** By judge position; null where it is no model. For the answer of one target to one trial. */
  readonly judges: readonly (TokenEstimate | null)[];
  /** Judge calls for one answer, of each judge. */
  readonly questions: number;
};

/** Renders what would be sent, with an answer made up in the likely length. Needs no secret and asks nobody. */
export function rowEstimator(config: EvalConfig, scoring: EvalScoring): RowEstimator {
  const targets = config.targets.map((target, index) => targetEstimator(target, index));
  return (row) => {
    const answer = { text: likelyAnswer(row), ...(row.contexts === null ? {} : { contexts: row.contexts }) };
    const questions = config.judges.length === 0 ? [] : scoring.questions({ row, answer, latencyMs: null }, config);
    const asked = questions.map((question) => estimateQuestion(question, row.id));
    return {
      targets: targets.map((estimate) => estimate(row)),
      judges: config.judges.map((judge) => judgeEstimate(judge, asked)),
      questions: questions.length,
    };
  };
}

/** A question to a judge: its tokens as they would be sent, and the rulings it asks for. */
export interface AskedQuestion {
  readonly input: number;
  readonly asks: number;
}

export function estimateQuestion(question: JudgeQuestion, rowId: string): AskedQuestion {
  const nonce = deriveNonce({ runId: 'plan', rowId, target: '', trial: 0, call: 0 });
  const { system, user, schema } = renderPrompt(question, nonce);
  return { input: estimateRequestTokens([system, user, JSON.stringify(schema)]), asks: question.asks.length };
}

function likelyAnswer({ output, expected }: Row): string {
  if (typeof output === 'string') return output;
  const text = expected === null ? '' : jsonToText(expected);
  const missing = ANSWER_TOKENS - estimateTokens(text);
  return missing > 0 ? `${text}${' the'.repeat(missing)}` : text;
}

function targetEstimator(target: EvalConfig['targets'][number], index: number): (row: Row) => TokenEstimate | null {
  if (target.type === 'recorded') return () => ({ ...NOTHING });
  if (target.type !== 'bedrock') return () => null;
  const chat = compileChat(target, { where: `targets.${index}` });
  // A placeholder's length stands for a secret's.
  const secrets = new Map(chat.secretNames.map((name) => [name, name]));
  return (row) => {
    const rendered = chat.render({ row, secrets });
    if (!rendered.ok) return { ...NOTHING };
    const { system, messages } = rendered.value;
    const input = estimateRequestTokens([...system, ...messages.flatMap(({ texts }) => texts)]);
    const callsAtMost = row.tools === undefined ? 1 : target.max_iterations;
    const output = Math.min(target.max_tokens, estimateTokens(likelyAnswer(row)));
    // Each further call of a tool loop carries all that was said before.
    const carried = ((callsAtMost - 1) * callsAtMost * target.max_tokens) / 2;
    return {
      calls: 1,
      callsAtMost,
      input,
      inputAtMost: input * callsAtMost + carried,
      output,
      outputAtMost: target.max_tokens * callsAtMost,
    };
  };
}

/** Null where the judge is no model. */
export function judgeEstimate(judge: JudgeConfig, asked: readonly AskedQuestion[]): TokenEstimate | null {
  if (judge.type === 'lexical' || judge.type === 'recorded') return null;
  const total = { ...NOTHING };
  for (const { input, asks } of asked) {
    total.calls += 1;
    total.callsAtMost += CALLS_A_QUESTION;
    total.input += input;
    total.inputAtMost += CALLS_A_QUESTION * (input + judge.max_tokens);
    total.output += Math.min(judge.max_tokens, asks * VERDICT_TOKENS);
    total.outputAtMost += CALLS_A_QUESTION * judge.max_tokens;
  }
  return total;
}

export const NOTHING: TokenEstimate = {
  calls: 0,
  callsAtMost: 0,
  input: 0,
  inputAtMost: 0,
  output: 0,
  outputAtMost: 0,
};
