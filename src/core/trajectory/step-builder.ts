import type { JsonValue } from '../json.ts';
import type { Trajectory, TrajectoryStep } from '../schemas/trajectory.ts';

type ToolCall = NonNullable<TrajectoryStep['tool_call']>;

interface OpenCall {
  readonly id: string | null;
  readonly step: TrajectoryStep & { tool_call: ToolCall };
  isAnswered: boolean;
}

/**
 * Collects the steps of a trajectory. A tool's result is attached to its call, as our own agents record it; a result
 * without a call stays as an observation, so nothing is lost.
 */
export class StepBuilder {
  private readonly steps: TrajectoryStep[] = [];
  private readonly calls: OpenCall[] = [];
  private task: string | null = null;
  private answer: string | null = null;

  get stepCount(): number {
    return this.steps.length;
  }

  /** A call of this tool waits for its result. */
  hasOpenCall(name: string): boolean {
    return this.calls.some((call) => !call.isAnswered && call.step.tool_call.name === name);
  }

  /** What the user says: the first time the task, later a step of its own. */
  user(text: string): void {
    if (text.trim() === '') return;
    if (this.task === null && this.steps.length === 0) this.task = text;
    else this.steps.push({ type: 'observation', content: `[user] ${text}` });
  }

  observation(content: string): void {
    this.steps.push({ type: 'observation', content });
  }

  thought(content: string): void {
    if (content.trim() !== '') this.steps.push({ type: 'thought', content });
  }

  finalAnswer(content: string): void {
    this.answer = content;
    this.steps.push({ type: 'answer', content });
  }

  /** A call that is known by its id already is the same call; what was not known of it yet is filled in. */
  call(
    id: string | null,
    name: string,
    args: JsonValue | undefined,
    timing: Pick<TrajectoryStep, 'latency_ms'> = {},
  ): void {
    // What comes after an answer shows that it was none.
    this.answer = null;
    const known = id === null ? undefined : this.calls.find((call) => call.id === id);
    if (known !== undefined) {
      if (known.step.tool_call.arguments === undefined && args !== undefined) known.step.tool_call.arguments = args;
      Object.assign(known.step, timing);
      return;
    }
    const step = {
      type: 'tool_call' as const,
      tool_call: { name, ...(args === undefined ? {} : { arguments: args }) },
      ...timing,
    };
    this.steps.push(step);
    this.calls.push({ id, step, isAnswered: false });
  }

  /** By id; without one the oldest unanswered call of that name, or of any. */
  result(
    id: string | null,
    name: string | null,
    outcome: { readonly result: JsonValue } | { readonly error: string },
  ): void {
    const open = this.calls.filter((call) => !call.isAnswered);
    const byId = id === null ? undefined : this.calls.find((call) => call.id === id);
    if (byId?.isAnswered === true) return; // told twice: by the tool and by the next request
    const call =
      byId ?? (id === null ? open.find(({ step }) => name === null || step.tool_call.name === name) : undefined);
    if (call === undefined) {
      const content = 'error' in outcome ? outcome.error : textOf(outcome.result);
      this.steps.push({ type: 'observation', content });
      return;
    }
    call.isAnswered = true;
    Object.assign(call.step.tool_call, outcome);
  }

  /** Tokens and time of a model's reply, kept with the first step that it led to. */
  cost(fromStep: number, spent: Pick<TrajectoryStep, 'tokens' | 'latency_ms'>): void {
    const step = this.steps[fromStep];
    if (step !== undefined) Object.assign(step, spent);
  }

  build(error?: string | null): { task: string | null; trajectory: Trajectory } {
    const trajectory: Trajectory = { steps: this.steps, final_answer: this.answer };
    if (error !== undefined && error !== null) trajectory.error = error;
    return { task: this.task, trajectory };
  }
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
