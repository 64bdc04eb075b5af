import type { Fault } from '../errors.ts';
import { nearestName } from '../nearest.ts';
import type { EvalConfig, EvalType } from '../schemas/eval.ts';
import { agentScoring } from './agent.ts';
import { classificationScoring } from './classification.ts';
import type { EvalScoring } from './eval-scoring.ts';
import { instructionScoring } from './instruction.ts';
import { metricsScoring } from './metrics.ts';
import { checkThresholds } from './policy.ts';
import { qaScoring } from './qa.ts';
import { ragScoring } from './rag.ts';
import { unmeasuredLatency } from './unmeasured-latency.ts';

const SCORINGS: Record<EvalType, EvalScoring> = {
  qa: withThresholds(qaScoring),
  classification: withThresholds(classificationScoring),
  instruction: withThresholds(instructionScoring),
  metrics: withThresholds(metricsScoring),
  rag: withThresholds(ragScoring),
  agent: withThresholds(agentScoring),
};

/** How evals of a type are scored. */
export function scoringFor(type: EvalType): EvalScoring {
  return SCORINGS[type];
}

function withThresholds(scoring: EvalScoring): EvalScoring {
  return {
    ...scoring,
    checkConfig: (config) => [
      ...checkThresholds(config),
      ...unmeasuredNames(config),
      ...judgeSettings(config),
      ...unmeasuredLatency(config),
      ...scoring.checkConfig(config),
    ],
  };
}

/** Settings of the judge that would be without effect, or that there is no judge for. */
function judgeSettings(config: EvalConfig): readonly Fault[] {
  const faults: Fault[] = [];
  if (config.require_judge && config.judges.length === 0) {
    const message = 'require_judge is set and there is no judge';
    faults.push({ field: 'require_judge', message, fix: 'add judge: {model: …}' });
  }
  if (config.judge_scales !== 'supereval' && config.type !== 'rag' && config.type !== 'agent') {
    const message = `judge_scales has no effect on an eval of type ${config.type}`;
    faults.push({ field: 'judge_scales', message, fix: 'leave it out; rag and agent evals have label scales' });
  }
  return faults;
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
