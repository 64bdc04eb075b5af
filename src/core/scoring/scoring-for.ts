import type { Fault } from '../errors.ts';
import { nearestName } from '../nearest.ts';
import type { EvalConfig, EvalType } from '../schemas/eval.ts';
import { classificationScoring } from './classification.ts';
import type { EvalScoring } from './eval-scoring.ts';
import { instructionScoring } from './instruction.ts';
import { metricsScoring } from './metrics.ts';
import { checkThresholds } from './policy.ts';
import { qaScoring } from './qa.ts';

const SCORINGS: Record<EvalType, EvalScoring> = {
  qa: withThresholds(qaScoring),
  classification: withThresholds(classificationScoring),
  instruction: withThresholds(instructionScoring),
  metrics: withThresholds(metricsScoring),
  rag: notYetSupported('rag'),
  agent: notYetSupported('agent'),
};

/** How evals of a type are scored. */
export function scoringFor(type: EvalType): EvalScoring {
  return SCORINGS[type];
}

function withThresholds(scoring: EvalScoring): EvalScoring {
  return {
    ...scoring,
    checkConfig: (config) => [...checkThresholds(config), ...unmeasuredNames(config), ...scoring.checkConfig(config)],
  };
}

/** A floor or veto on something that is not measured would check nothing. */
function unmeasuredNames(config: EvalConfig): readonly Fault[] {
  const measured = new Set<string>([...config.metrics, ...config.scorers.map((spec) => spec.name)]);
  if (config.latency_budget_ms !== undefined) measured.add('latency');
  const floors = Object.keys(config.thresholds.metric_floors ?? {});
  return [
    ...floors.map((name) => ({ name, field: `thresholds.metric_floors.${name}` })),
    ...config.veto.map((name, index) => ({ name, field: `veto.${index}` })),
  ]
    .filter(({ name }) => !measured.has(name))
    .map(({ name, field }) => {
      const nearest = nearestName(name, measured);
      const fix = nearest === undefined ? `measured: ${[...measured].join(', ')}` : `did you mean "${nearest}"?`;
      return { field, message: `"${name}" is not measured by this eval`, fix };
    });
}

/** Refused by its configuration; scoring it all the same is a bug. */
function notYetSupported(type: EvalType): EvalScoring {
  const message = `not yet supported: type ${type}`;
  const refuse = (): never => {
    throw new TypeError(message);
  };
  return {
    checkConfig: () => [{ field: 'type', message, fix: 'use qa, classification, instruction or metrics' }],
    checkRow: () => [],
    questions: refuse,
    score: refuse,
  };
}
