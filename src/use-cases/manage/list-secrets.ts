import { secretNamesIn } from '../../core/config/secret-names.ts';
import type { Registry } from '../../ports/registry.ts';
import { findProject } from './put-project.ts';

export interface SecretUse {
  readonly name: string;
  /** Evals whose newest version refers to it; the project's default judge is named as such. */
  readonly used_by: readonly string[];
}

const DEFAULT_JUDGE = 'default judge';

/** The secrets that a project's evals ask for, by name; no value is read. Throws NotFoundError. */
export async function listSecrets(
  projectId: string,
  { registry }: { registry: Registry },
): Promise<readonly SecretUse[]> {
  const project = await findProject(projectId, { registry });
  const uses = new Map<string, string[]>();
  const note = (user: string, names: readonly string[]) => {
    for (const name of names) uses.set(name, [...(uses.get(name) ?? []), user]);
  };
  for (const { name, config } of await registry.listEvals(project.id)) {
    note(name, secretNamesIn([config.target, config.targets, config.judge]));
  }
  note(DEFAULT_JUDGE, secretNamesIn(project.default_judge));
  return [...uses].map(([name, used_by]) => ({ name, used_by })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
