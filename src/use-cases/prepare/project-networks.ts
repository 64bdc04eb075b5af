import type { EvalConfig } from '../../core/schemas/eval.ts';
import type { Project } from '../../core/schemas/registry.ts';

export type ProjectNetworks = Pick<Project, 'allowed_hosts' | 'allowed_cidrs'>;

/** The eval with the private targets that its project allows to every eval, beside its own. */
export function withProjectNetworks(config: EvalConfig, project: ProjectNetworks): EvalConfig {
  return {
    ...config,
    allowed_hosts: [...new Set([...config.allowed_hosts, ...(project.allowed_hosts ?? [])])],
    allowed_cidrs: [...new Set([...config.allowed_cidrs, ...(project.allowed_cidrs ?? [])])],
  };
}
