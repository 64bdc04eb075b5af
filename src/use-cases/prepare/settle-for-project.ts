import { settleEval } from '../../core/config/parse-eval.ts';
import type { EvalConfig, EvalFile } from '../../core/schemas/eval.ts';
import { JudgeConfigSchema } from '../../core/schemas/judge-config.ts';
import type { Project } from '../../core/schemas/registry.ts';

/** An eval as its project runs it: where it names no judge, the project's default judges. Throws ConfigError. */
export function settleForProject(file: EvalFile, project: Pick<Project, 'default_judge'>): EvalConfig {
  const judge = JudgeConfigSchema.safeParse(project.default_judge);
  return settleEval(file, judge.success ? { judges: { fallback: [judge.data] } } : {});
}
