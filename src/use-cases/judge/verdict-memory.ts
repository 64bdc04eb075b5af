import { StorageError } from '../../core/errors.ts';
import { fromCachedVerdict, toCachedVerdict } from '../../core/judging/cached-verdict.ts';
import type { JudgeQuestion } from '../../core/judging/question.ts';
import { verdictKey } from '../../core/judging/verdict-key.ts';
import type { EvalConfig } from '../../core/schemas/eval.ts';
import type { JudgeConfig } from '../../core/schemas/judge-config.ts';
import type { Judgement } from '../../core/scoring/eval-scoring.ts';
import type { Judge } from '../../ports/judge.ts';
import type { VerdictCache } from '../../ports/verdict-cache.ts';

/**
 * Verdicts of models, kept from run to run. A cache that fails is left alone for the rest of the run, and its fault is told
 * once: no row fails by it.
 */
export class VerdictMemory {
  private readonly cache: VerdictCache;
  private readonly configs: ReadonlyMap<Judge, JudgeConfig>;
  private broken = false;
  private fault: string | null = null;

  /** `judges` are those that `configs` describe, in the same order. */
  constructor(cache: VerdictCache, judges: readonly Judge[], configs: readonly JudgeConfig[]) {
    this.cache = cache;
    const pairs = judges.flatMap((judge, position): [Judge, JudgeConfig][] => {
      const config = configs[position];
      // Word overlap and replayed verdicts cost nothing.
      return config === undefined || !judge.isModel ? [] : [[judge, config]];
    });
    this.configs = new Map(pairs);
  }

  async recall(judge: Judge, question: JudgeQuestion, trial: number): Promise<Judgement | null> {
    const key = this.keyOf(judge, question, trial);
    if (key === null) return null;
    const entry = await this.unlessBroken(() => this.cache.get(key));
    return entry == null ? null : fromCachedVerdict(entry, key, question);
  }

  /** Keeps a judgement; one that failed is never kept. */
  async keep(judge: Judge, question: JudgeQuestion, trial: number, judgement: Judgement): Promise<void> {
    const key = this.keyOf(judge, question, trial);
    if (key === null || judgement.status !== 'judged') return;
    await this.unlessBroken(() => this.cache.put(key, toCachedVerdict(key, judgement)));
  }

  /** What went wrong since it was last asked, in words; null mostly. */
  takeFault(): string | null {
    const { fault } = this;
    this.fault = null;
    return fault;
  }

  private keyOf(judge: Judge, question: JudgeQuestion, trial: number): string | null {
    const config = this.configs.get(judge);
    return config === undefined || this.broken ? null : verdictKey(config, question, trial);
  }

  private async unlessBroken<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (!this.broken) this.fault = error.message;
      this.broken = true;
      return null;
    }
  }
}

/** The memory of a run that asks for one; undefined where it does not, or where there is no cache. */
export function openMemory(
  config: Pick<EvalConfig, 'judge_cache' | 'judges'>,
  judges: readonly Judge[],
  cache: VerdictCache | undefined,
): VerdictMemory | undefined {
  return config.judge_cache === true && cache !== undefined
    ? new VerdictMemory(cache, judges, config.judges)
    : undefined;
}
