import { addCosts, addUsage, NO_COST } from '../cost/cost.ts';
import type { JsonValue } from '../json.ts';
import type { Cost, Usage } from '../schemas/answer.ts';
import type { Trajectory, TrajectoryStep } from '../schemas/trajectory.ts';
import type { ToolOutcome } from './mock-tools.ts';

/** One reply of the model within a tool-use loop, and what its tool calls came to. */
export interface LoopTurn {
  /** What it thought or said beside its calls, in order; blank ones are left out. */
  readonly thoughts: readonly string[];
  readonly calls: readonly { readonly name: string; readonly arguments: JsonValue; readonly outcome: ToolOutcome }[];
  /** Its final answer, on the last turn. */
  readonly answer?: string;
  /** Of the call of the model, without the tools. */
  readonly latencyMs: number;
  readonly usage: Usage | null;
  readonly cost: Cost;
}

/** Keeps the books of a tool-use loop: steps, tokens, time and money. */
export class LoopRecord {
  readonly #steps: TrajectoryStep[] = [];
  #answer: string | null = null;
  #latencyMs = 0;
  #usage: Usage | null = null;
  #cost: Cost = NO_COST;

  /** Of all turns; null when no reply reported tokens. */
  get usage(): Usage | null {
    return this.#usage;
  }

  get cost(): Cost {
    return this.#cost;
  }

  /**
   * A turn becomes a step a thought, a step a tool call with its result, and a step for the answer. Tokens, cost and time of the
   * model's call stand at the turn's first step, so that tokens and cost of the steps add up to the totals; the time of a tool is
   * its call's own, and the total counts tools that ran side by side once.
   */
  add(turn: LoopTurn): void {
    const steps: TrajectoryStep[] = turn.thoughts
      .filter((content) => content.trim() !== '')
      .map((content) => ({ type: 'thought', content }));
    for (const call of turn.calls) {
      const { outcome } = call;
      const returned = outcome.ok ? { result: outcome.result } : { error: outcome.error };
      const tool_call = { name: call.name, arguments: call.arguments, ...returned };
      steps.push({ type: 'tool_call', tool_call, latency_ms: outcome.latencyMs });
    }
    if (turn.answer !== undefined) {
      steps.push({ type: 'answer', content: turn.answer });
      this.#answer = turn.answer;
    }
    const [first] = steps;
    if (first !== undefined) {
      first.latency_ms = (first.latency_ms ?? 0) + turn.latencyMs;
      first.tokens = tokensOf(turn.usage);
      first.cost_usd = usdOf(turn.cost);
    }
    this.#steps.push(...steps);
    // Calls of one turn run side by side.
    this.#latencyMs += turn.latencyMs + Math.max(0, ...turn.calls.map(({ outcome }) => outcome.latencyMs));
    this.#usage = addUsage(this.#usage, turn.usage);
    this.#cost = addCosts(this.#cost, turn.cost);
  }

  /** `error`: why it ended without an answer. */
  toTrajectory(error?: string): Trajectory {
    return {
      steps: this.#steps,
      final_answer: this.#answer,
      ...(error === undefined ? {} : { error }),
      total_latency_ms: this.#latencyMs,
      total_tokens: tokensOf(this.#usage),
      total_cost_usd: usdOf(this.#cost),
    };
  }
}

function tokensOf(usage: Usage | null): number | null {
  return usage === null ? null : usage.input + usage.output + usage.cache_read + usage.cache_write;
}

const usdOf = (cost: Cost): number | null => (cost.status === 'metered' ? cost.usd : null);
