import type { TargetErrorCause } from '../../core/schemas/result.ts';
import type { ModelReply } from './converse-reply.ts';

export interface StopFailure {
  readonly cause: TargetErrorCause;
  readonly message: string;
}

/** Why a reply is no answer; null when it is one. What asks for tools that were offered is not to be asked here. */
export function stopFailure({ stopReason, toolUses }: ModelReply, maxTokens: number): StopFailure | null {
  switch (stopReason) {
    case 'end_turn':
    case 'stop_sequence':
      return toolUses.length === 0 ? null : NO_TOOLS;
    case 'tool_use':
      return NO_TOOLS;
    case 'max_tokens':
      return { cause: 'max-tokens', message: `the answer was cut off at max_tokens (${maxTokens})` };
    case 'model_context_window_exceeded':
      return { cause: 'max-tokens', message: "the answer was cut off at the end of the model's context window" };
    case 'guardrail_intervened':
      return { cause: 'refused', message: 'a guardrail intervened' };
    case 'content_filtered':
    case 'refusal':
      return { cause: 'refused', message: `the model withheld its answer (${stopReason})` };
    case 'malformed_model_output':
    case 'malformed_tool_use':
      return { cause: 'crashed', message: `the model's reply was malformed (${stopReason})` };
    default:
      return { cause: 'crashed', message: `the model stopped for a reason that is not known: ${stopReason}` };
  }
}

const NO_TOOLS: StopFailure = { cause: 'crashed', message: 'the model asked for a tool, and the row has no tools' };
