import { NO_COST } from '../core/cost/cost.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { Judge, JudgeContent, JudgeReply, JudgeRequest } from '../ports/judge.ts';

/** Verdicts of a former run on one answer, by metric; null when that run has none. */
export type FormerVerdicts = (key: {
  readonly rowId: string;
  readonly targetId: string;
  readonly trial: number;
  /** A verdict on another answer is none on this one. */
  readonly answer: string;
}) => Promise<JsonObject | null>;

/**
 * Replays judgements: the row's `verdicts` (or those kept in it by target id), or its `judge_replies` in call order, or those of a former run.
 * A reply in text may write this request's nonce as `{{nonce}}`; here and nowhere else it is filled in.
 */
export class RecordedJudge implements Judge {
  readonly id = 'recorded';
  readonly type = 'recorded';
  readonly model = null;
  readonly isModel = false;
  readonly channel = 'text';
  readonly #former: FormerVerdicts | null;

  constructor(former: FormerVerdicts | null = null) {
    this.#former = former;
  }

  async check(): Promise<void> {}
  async close(): Promise<void> {}

  async ask(request: JudgeRequest): Promise<JudgeReply> {
    if (this.#former !== null) return this.#replayFormer(request, this.#former);
    const { judge_replies: replies } = request.row;
    const verdicts = verdictsFor(request);
    if (verdicts !== undefined && (replies === undefined || rulesOnAny(verdicts, request))) {
      return { status: 'recorded', verdicts, ...FREE };
    }
    const reply = replies?.[request.call];
    if (reply === undefined) {
      const what =
        replies === undefined ? 'neither verdicts nor judge_replies' : `no judge reply number ${request.call + 1}`;
      return missing(`row "${request.row.id}" has ${what} on record`);
    }
    return replay(reply, request);
  }

  async #replayFormer({ row, targetId, trial, question }: JudgeRequest, former: FormerVerdicts): Promise<JudgeReply> {
    const verdicts = await former({ rowId: row.id, targetId, trial, answer: question.answer });
    if (verdicts === null)
      return missing(`the former run has no verdict on this answer of target "${targetId}" to row "${row.id}"`);
    return { status: 'recorded', verdicts, ...FREE };
  }
}

const FREE = { usage: null, cost: NO_COST, attempts: 1 } as const;

/** The row's verdicts; where answers of several targets were judged apart, those kept under the target's id. */
function verdictsFor(request: JudgeRequest): JsonObject | undefined {
  const { verdicts } = request.row;
  if (verdicts === undefined || rulesOnAny(verdicts, request)) return verdicts;
  const ofTarget = Object.hasOwn(verdicts, request.targetId) ? verdicts[request.targetId] : undefined;
  return isJsonObject(ofTarget) ? ofTarget : verdicts;
}

function rulesOnAny(verdicts: JsonObject, { question }: JudgeRequest): boolean {
  return question.asks.some(({ name }) => Object.hasOwn(verdicts, name));
}

function missing(message: string): JudgeReply {
  return { status: 'failed', cause: 'no-recorded-verdict', message, ...FREE };
}

function replay(reply: JsonValue, { prompt }: JudgeRequest): JudgeReply {
  if (typeof reply === 'string') return replied('end_turn', [textBlock(reply, prompt.nonce)]);
  if (!isJsonObject(reply) || !Array.isArray(reply.content)) {
    const message = 'a judge reply on record is text, or {stop_reason, content: [...]}';
    return { status: 'failed', cause: 'unparsable', message, ...FREE };
  }
  const content = reply.content.flatMap((block) => toContent(block, prompt.nonce));
  const usual = content.some(({ kind }) => kind === 'tool_use') ? 'tool_use' : 'end_turn';
  const stopReason = reply.stop_reason ?? reply.stopReason ?? usual;
  return replied(typeof stopReason === 'string' ? stopReason : JSON.stringify(stopReason), content);
}

function replied(stopReason: string, content: readonly JudgeContent[]): JudgeReply {
  return { status: 'replied', stopReason, content, schemaText: false, ...FREE };
}

/** A block as Converse gives it; kinds we do not know say nothing. */
function toContent(block: JsonValue, nonce: string): readonly JudgeContent[] {
  if (!isJsonObject(block)) return [];
  if (typeof block.text === 'string') return [textBlock(block.text, nonce)];
  if (isJsonObject(block.toolUse)) {
    const { name, input } = block.toolUse;
    return [{ kind: 'tool_use', name: typeof name === 'string' ? name : '', input: input ?? null }];
  }
  return 'reasoningContent' in block ? [{ kind: 'reasoning' }] : [];
}

function textBlock(text: string, nonce: string): JudgeContent {
  return { kind: 'text', text: text.replaceAll('{{nonce}}', () => nonce) };
}
