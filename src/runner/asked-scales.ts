import type { RowResult } from '../core/schemas/result.ts';
import type { Judge } from '../ports/judge.ts';

/** Looks at what a judge is asked: the labels of its scales, in order, which scores do not hold. */
export class AskedScales {
  readonly #scales = new Map<string, readonly string[]>();

  watch(judge: Judge): Judge {
    return {
      id: judge.id,
      type: judge.type,
      model: judge.model,
      isModel: judge.isModel,
      channel: judge.channel,
      check: () => judge.check(),
      close: () => judge.close(),
      ask: (request) => {
        for (const ask of request.question.asks) {
          if (ask.kind !== 'label') continue;
          const worstFirst = ask.higherIsBetter === false ? ask.labels.toReversed() : ask.labels;
          this.#scales.set(worstFirst.join('\u0000'), worstFirst);
        }
        return judge.ask(request);
      },
    };
  }

  /** The scale that all labels of a score are on, worst first; null where it has none, or where they fit several. */
  of(results: readonly RowResult[], metric: string): readonly string[] | null {
    const labels = new Set<string>();
    for (const { scores } of results) {
      const label = scores[metric]?.raw_label ?? null;
      if (label !== null) labels.add(label);
    }
    if (labels.size === 0) return null;
    const fitting = [...this.#scales.values()].filter((scale) => [...labels].every((label) => scale.includes(label)));
    const [only, ...others] = fitting;
    return others.length === 0 ? (only ?? null) : null;
  }
}
