import { addUsage } from '../cost/cost.ts';
import type { Usage } from '../schemas/answer.ts';
import type { Trajectory, TrajectoryStep } from '../schemas/trajectory.ts';
import { actionArguments, parseJson } from './action-input.ts';
import type {
  InvocationInput,
  Observation,
  OrchestrationPart,
  TraceMember,
  TracePart,
  TraceUsage,
} from './agent-trace-shape.ts';

/** What the trace of one InvokeAgent call says. */
export interface AgentTrace {
  readonly steps: readonly TrajectoryStep[];
  /** Passages of all knowledge-base lookups, each once, in order. */
  readonly contexts: readonly string[];
  /** The agent's last response, where the trace has one. */
  readonly finalResponse: string | null;
  readonly usage: Usage | null;
  /** The model that it ran on, when the trace names exactly one. */
  readonly model: string | null;
  /** Why the agent gave up. */
  readonly failure: string | null;
  /** A guardrail blocked what went in or out. Masking alone is no block. */
  readonly blocked: boolean;
}

/** Names of the tools that are no action group's. */
export const KNOWLEDGE_BASE_TOOL = 'knowledge_base';
export const CODE_INTERPRETER_TOOL = 'code_interpreter';

/**
 * Trace parts in the order they came → steps. A rationale (or reasoning) is a thought; a call of an action group a tool call named by its
 * function or API path, its parameters as arguments (numbers, booleans, lists and objects by their declared type); a knowledge-base lookup,
 * the code interpreter and a collaborating agent are tool calls, too. Each result is attached to its call; what cannot be
 * attached stays as an observation. The final response is the answer step.
 */
export function readAgentTrace(parts: readonly TracePart[]): AgentTrace {
  const reader = new TraceReader();
  for (const part of parts) reader.read(part);
  return reader.result();
}

interface OpenCall {
  readonly traceId: string | undefined;
  readonly step: TrajectoryStep & { tool_call: NonNullable<TrajectoryStep['tool_call']> };
}

class TraceReader {
  private readonly steps: TrajectoryStep[] = [];
  private readonly contexts = new Set<string>();
  private readonly models = new Set<string>();
  /** Calls whose result has not come yet. */
  private readonly open: OpenCall[] = [];
  private finalResponse: string | null = null;
  private usage: Usage | null = null;
  private failure: string | null = null;
  private blocked = false;

  read({ trace, collaboratorName }: TracePart): void {
    if (trace === undefined) return;
    const isCollaborator = collaboratorName !== undefined && collaboratorName !== '';
    const { preProcessingTrace, postProcessingTrace, guardrailTrace, failureTrace, customOrchestrationTrace } = trace;
    for (const processing of [preProcessingTrace, postProcessingTrace]) this.readModelCall(processing);
    for (const orchestration of [trace.orchestrationTrace, trace.routingClassifierTrace]) {
      if (orchestration !== undefined) this.readOrchestration(orchestration, isCollaborator);
    }
    this.add('thought', customOrchestrationTrace?.event?.text);
    if (guardrailTrace?.action === 'INTERVENED') this.readGuardrail(guardrailTrace);
    if (failureTrace !== undefined) this.failure = failureTrace.failureReason ?? 'the trace gives no reason';
  }

  result(): AgentTrace {
    const [model, ...others] = this.models;
    return {
      steps: this.steps,
      contexts: [...this.contexts],
      finalResponse: this.finalResponse,
      usage: this.usage,
      model: others.length === 0 ? (model ?? null) : null,
      failure: this.failure,
      blocked: this.blocked,
    };
  }

  private readOrchestration(part: OrchestrationPart, isCollaborator: boolean): void {
    this.readModelCall(part);
    this.add('thought', part.modelInvocationOutput?.reasoningContent?.reasoningText?.text);
    this.add('thought', part.rationale?.text);
    if (part.invocationInput !== undefined) this.readCall(part.invocationInput);
    if (part.observation !== undefined) this.readObservation(part.observation, isCollaborator);
  }

  private readModelCall(part: Pick<OrchestrationPart, 'modelInvocationInput' | 'modelInvocationOutput'> | undefined) {
    const model = part?.modelInvocationInput?.foundationModel;
    if (model !== undefined && model !== '') this.models.add(model);
    this.usage = addUsage(this.usage, toUsage(part?.modelInvocationOutput?.metadata?.usage));
  }

  private readCall(input: InvocationInput): void {
    const { actionGroupInvocationInput: action, knowledgeBaseLookupInput: lookup } = input;
    const { codeInterpreterInvocationInput: code, agentCollaboratorInvocationInput: collaborator } = input;
    const call =
      action !== undefined
        ? {
            name: action.function ?? action.apiPath ?? action.actionGroupName ?? '',
            arguments: actionArguments(action),
          }
        : lookup !== undefined
          ? {
              name: KNOWLEDGE_BASE_TOOL,
              arguments: { knowledge_base_id: lookup.knowledgeBaseId ?? null, text: lookup.text ?? null },
            }
          : code !== undefined
            ? { name: CODE_INTERPRETER_TOOL, arguments: { code: code.code ?? null } }
            : collaborator !== undefined
              ? {
                  name: collaborator.agentCollaboratorName ?? 'agent',
                  arguments: { text: collaborator.input?.text ?? null },
                }
              : undefined;
    if (call === undefined) return;
    const step = { type: 'tool_call' as const, tool_call: call };
    this.steps.push(step);
    this.open.push({ traceId: input.traceId, step });
  }

  private readObservation(observation: Observation, isCollaborator: boolean): void {
    const { actionGroupInvocationOutput: action, knowledgeBaseLookupOutput: lookup } = observation;
    const { codeInterpreterInvocationOutput: code, agentCollaboratorInvocationOutput: collaborator } = observation;
    if (action !== undefined) this.attach(observation, { result: parseJson(action.text ?? '') }, action.metadata);
    if (lookup !== undefined) {
      const passages = (lookup.retrievedReferences ?? []).flatMap(({ content }) => content?.text ?? []);
      for (const passage of passages) if (passage.trim() !== '') this.contexts.add(passage);
      this.attach(observation, { result: passages }, lookup.metadata);
    }
    if (code !== undefined) {
      const error =
        code.executionError ?? (code.executionTimeout === true ? 'the code ran into its time limit' : undefined);
      const result = code.executionOutput ?? '';
      this.attach(observation, error === undefined ? { result } : { result, error }, code.metadata);
    }
    if (collaborator !== undefined) {
      this.attach(observation, { result: collaborator.output?.text ?? null }, collaborator.metadata);
    }
    this.add('observation', observation.repromptResponse?.text);
    // A collaborator's own last word is the result of the call to it.
    const final = observation.finalResponse?.text;
    if (final !== undefined && !isCollaborator) {
      this.add('answer', final);
      this.finalResponse = final;
    }
  }

  /** To the call of the same step of the trace; else to the last call still open; else it stands alone. */
  private attach(
    { traceId }: Observation,
    returned: Pick<OpenCall['step']['tool_call'], 'result' | 'error'>,
    metadata: { readonly totalTimeMs?: number | undefined } | undefined,
  ): void {
    const same = traceId === undefined ? -1 : this.open.findIndex((call) => call.traceId === traceId);
    const at = same >= 0 ? same : this.open.length - 1;
    const [call] = at < 0 ? [] : this.open.splice(at, 1);
    const step = call?.step ?? this.add('observation', JSON.stringify(returned.error ?? returned.result));
    if (call !== undefined) Object.assign(call.step.tool_call, returned);
    if (step !== undefined && metadata?.totalTimeMs !== undefined) step.latency_ms = Math.max(0, metadata.totalTimeMs);
  }

  private readGuardrail(guardrail: NonNullable<TraceMember['guardrailTrace']>): void {
    const assessments = JSON.stringify([guardrail.inputAssessments ?? [], guardrail.outputAssessments ?? []]);
    // Masked personal data is an answer with a gap; without assessments nobody can tell, and that counts as blocked.
    if (assessments.includes('"action":"ANONYMIZED"') && !assessments.includes('"action":"BLOCKED"')) {
      this.add('observation', 'a guardrail masked parts of the text');
    } else this.blocked = true;
  }

  private add(type: 'thought' | 'observation' | 'answer', content: string | undefined): TrajectoryStep | undefined {
    if (content === undefined || content.trim() === '') return undefined;
    const last = this.steps.at(-1);
    if (type === 'thought' && last?.type === 'thought' && last.content === content) return undefined; // reasoning, said again as rationale
    const step: TrajectoryStep = { type, content };
    this.steps.push(step);
    return step;
  }
}

function toUsage(usage: TraceUsage | undefined): Usage | null {
  if (usage === undefined) return null;
  return { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0, cache_read: 0, cache_write: 0 };
}

/** Steps as a trajectory; `error`: the agent crashed. */
export function traceTrajectory(trace: AgentTrace, finalAnswer: string | null, error?: string): Trajectory {
  const { usage } = trace;
  return {
    steps: [...trace.steps],
    final_answer: finalAnswer,
    ...(error === undefined ? {} : { error }),
    total_tokens: usage === null ? null : usage.input + usage.output,
  };
}
