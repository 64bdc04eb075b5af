import type { EvalConfig } from '../schemas/eval.ts';
import { rubricSettings } from '../scoring/rubric-scorer.ts';
import { judgeHash } from './judge-hash.ts';
import { promptVersion } from './prompts/registry.ts';

const PROMPT_OF_TYPE = {
  qa: 'qa',
  instruction: 'instruction',
  metrics: 'metrics',
  rag: 'rag',
  agent: 'agent',
  classification: null,
} as const;

/** What names the judge of an eval: runs with another hash were judged by another judge. Null: the eval has none. */
export function evalJudgeHash(config: EvalConfig): string | null {
  if (config.judges.length === 0) return null;
  const prompt = PROMPT_OF_TYPE[config.type];
  const besides = config.type === 'rag' && config.metrics.length > 0 ? [promptVersion('metrics')] : [];
  const rubrics = rubricSettings(config);
  const ofRubrics = rubrics.length === 0 ? [] : [promptVersion('rubric')];
  return judgeHash({
    judges: config.judges,
    promptVersions: prompt === null ? ofRubrics : [promptVersion(prompt), ...besides, ...ofRubrics],
    rubric: config.rubric ?? null,
    scales: [config.judge_scales, ...config.metrics],
    settings: { judge_calls: config.judge_calls, ...(rubrics.length === 0 ? {} : { rubrics }) },
  });
}
