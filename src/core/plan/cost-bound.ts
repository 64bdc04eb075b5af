import { compileChat } from '../agent/chat-prompt.ts';
import { type PriceTable, priceOf } from '../cost/price-table.ts';
import { canonicalJson } from '../json.ts';
import { CANARIES, canaryQuestion } from '../judging/canaries.ts';
import { deriveNonce } from '../judging/nonce.ts';
import type { JudgeQuestion } from '../judging/question.ts';
import { renderPrompt } from '../judging/render-prompt.ts';
import type { EvalConfig } from '../schemas/eval.ts';
import type { Row } from '../schemas/row.ts';
import type { EvalScoring } from '../scoring/eval-scoring.ts';
import { judgedPrompts } from '../scoring/judged-prompts.ts';

/** No tokenizer makes more tokens of a text than it has bytes. */
const MAX_TOKENS_A_BYTE = 1;
/** What a service adds to a request: roles, the frame of tools, what it says of them to the model. */
const FRAME_TOKENS = 1_000;
/** One model's tokens are at most so many of another's. */
const OTHER_TOKENIZER = 2;
/** A verdict that cannot be read is asked for once more. */
const CALLS_A_QUESTION = 2;
/** What the answer of a system that names no limit is taken to be at most, and its passages or steps. */
const FOREIGN_ANSWER_TOKENS = 4_000;
const FOREIGN_MATERIAL_TOKENS = 16_000;

/** The most that one answer of a target and its verdicts can cost, as far as it can be told beforehand. */
export interface CostBound {
  readonly usd: number;
  /** False: the target says afterwards what it cost, and no configuration limits it; `usd` is for the rest. */
  readonly isWhole: boolean;
}

type Target = EvalConfig['targets'][number];

/**
 * For each row and target: every reply as long as `max_tokens` allows, every byte sent a token, every verdict asked for twice,
 * every turn of a tool loop taken. What is not metered, or has no price, counts nothing.
 */
export function costBounds(
  config: EvalConfig,
  scoring: EvalScoring,
  prices: PriceTable,
): (row: Row, targetId: string) => CostBound {
  const targets = new Map(config.targets.map((target, index) => [target.id, boundOfTarget(target, index, prices)]));
  const judged = boundOfJudges(config, prices);
  return (row, targetId) => {
    const ofTarget = targets.get(targetId);
    if (ofTarget === undefined) return { usd: 0, isWhole: false };
    const { usd, isWhole, answerTokens } = ofTarget(row);
    if (judged === null) return { usd, isWhole };
    const questions = scoring.questions({ row, answer: assumedAnswer(row), latencyMs: null }, config);
    return { usd: usd + judged(questions, row.id, answerTokens), isWhole };
  };
}

/** The same for the answers that are planted before the first row. */
export function costBoundOfCanaries(
  config: EvalConfig,
  prices: PriceTable,
  isPlanted: (judge: EvalConfig['judges'][number]) => boolean,
): number {
  const judged = boundOfJudges({ ...config, judges: config.judges.filter(isPlanted) }, prices);
  if (judged === null) return 0;
  const questions = judgedPrompts(config).flatMap((promptId) =>
    CANARIES.map((canary) => canaryQuestion(canary, promptId, config.judge_scales)),
  );
  return judged(questions, 'canary', 0);
}

interface TargetBound extends CostBound {
  /** Of answer, steps and passages, as a judge is sent them. */
  readonly answerTokens: number;
}

function boundOfTarget(target: Target, index: number, prices: PriceTable): (row: Row) => TargetBound {
  if (target.type === 'recorded') {
    return (row) => ({ usd: 0, isWhole: true, answerTokens: tokensOf([JSON.stringify(row)]) });
  }
  if (target.type === 'bedrock') return boundOfModel(target, index, prices);
  const isWhole = !says(target, 'usage_path') && !says(target, 'cost_path');
  const answerTokens = FOREIGN_ANSWER_TOKENS + (bringsMaterial(target) ? FOREIGN_MATERIAL_TOKENS : 0);
  return () => ({ usd: 0, isWhole, answerTokens });
}

function bringsMaterial(target: Target): boolean {
  if (target.type === 'bedrock-agent' || target.type === 'knowledge-base') return true;
  return says(target, 'contexts_path') || says(target, 'trajectory_path');
}

function says(target: Target, path: 'usage_path' | 'cost_path' | 'contexts_path' | 'trajectory_path'): boolean {
  return path in target && target[path as keyof Target] !== undefined;
}

function boundOfModel(
  target: Extract<Target, { type: 'bedrock' }>,
  index: number,
  prices: PriceTable,
): (row: Row) => TargetBound {
  const chat = compileChat(target, { where: `targets.${index}` });
  // A placeholder's length stands for a secret's.
  const secrets = new Map(chat.secretNames.map((name) => [name, name]));
  const price = priceOf(target.model, prices);
  return (row) => {
    const rendered = chat.render({ row, secrets });
    if (!rendered.ok) return { usd: 0, isWhole: true, answerTokens: 0 };
    const { system, messages } = rendered.value;
    const tools = row.tools === undefined ? 0 : tokensOf([JSON.stringify(row.tools)]);
    const calls = row.tools === undefined ? 1 : target.max_iterations;
    const first = FRAME_TOKENS + tools + tokensOf([...system, ...messages.flatMap(({ texts }) => texts)]);
    // Each further call carries the replies before it and what the tools gave for them.
    const turn = target.max_tokens + tools;
    const input = calls * first + ((calls * (calls - 1)) / 2) * turn;
    const usd = price === null ? 0 : (input * price.input + calls * target.max_tokens * price.output) / 1e6;
    return { usd, isWhole: true, answerTokens: OTHER_TOKENIZER * (target.max_tokens + (calls - 1) * turn) };
  };
}

type JudgesBound = (questions: readonly JudgeQuestion[], rowId: string, answerTokens: number) => number;

/** Null where no judge costs anything that is metered. */
function boundOfJudges({ judges }: EvalConfig, prices: PriceTable): JudgesBound | null {
  const models = judges.flatMap((judge) => {
    const price = judge.type === 'bedrock' ? priceOf(judge.model, prices) : null;
    return judge.type !== 'bedrock' || price === null ? [] : [{ price, maxTokens: judge.max_tokens }];
  });
  if (models.length === 0) return null;
  return (questions, rowId, answerTokens) => {
    let usd = 0;
    for (const question of questions) {
      const sent = FRAME_TOKENS + tokensOf(textsOf(question, rowId)) + answerTokens;
      for (const { price, maxTokens } of models) {
        // The second time it is told what was wrong with its first reply.
        const input = CALLS_A_QUESTION * sent + (CALLS_A_QUESTION - 1) * maxTokens;
        usd += (input * price.input + CALLS_A_QUESTION * maxTokens * price.output) / 1e6;
      }
    }
    return usd;
  };
}

function textsOf(question: JudgeQuestion, rowId: string): readonly string[] {
  const nonce = deriveNonce({ runId: 'bound', rowId, target: '', trial: 0, call: 0 });
  const { system, user, schema } = renderPrompt(question, nonce);
  return [system, user, canonicalJson(schema)];
}

/** With all that questions are made from; how long it is, is reckoned apart. */
function assumedAnswer(row: Row) {
  const text = typeof row.output === 'string' ? row.output : 'x';
  return { text, contexts: row.contexts ?? ['x'], trajectory: STEPS };
}

const STEPS = { steps: [{ type: 'thought' as const, content: 'x' }], final_answer: 'x' };

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text, 'utf8') * MAX_TOKENS_A_BYTE, 0);
}
