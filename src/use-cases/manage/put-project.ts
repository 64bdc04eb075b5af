import * as z from 'zod';
import { JudgeConfigSchema } from '../../core/schemas/judge-config.ts';
import { type Project, ProjectSchema } from '../../core/schemas/registry.ts';
import type { Registry } from '../../ports/registry.ts';
import { NotFoundError } from './errors.ts';

/** Settings of a project as a client sends them; `null` takes a setting away. */
export const ProjectSettingsSchema = z.strictObject({
  name: ProjectSchema.shape.name.optional(),
  default_pass_mark: z.number().min(0).max(1).optional(),
  default_judge: JudgeConfigSchema.nullable().optional(),
  baseline_ref: z.string().min(1).max(255).optional(),
  /** Runs under way at once; null: as the stage has it. */
  max_concurrent_runs: ProjectSchema.shape.max_concurrent_runs.unwrap().nullable().optional(),
  allowed_hosts: ProjectSchema.shape.allowed_hosts,
  allowed_cidrs: ProjectSchema.shape.allowed_cidrs,
});
export type ProjectSettings = z.infer<typeof ProjectSettingsSchema>;

/** Changes the settings that are given; the others keep their values. Throws NotFoundError. */
export async function putProject(
  id: string,
  settings: ProjectSettings,
  { registry }: { registry: Registry },
): Promise<Project> {
  const known = await findProject(id, { registry });
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const { default_judge, max_concurrent_runs, ...rest } = { ...known, ...given };
  const project = ProjectSchema.parse({
    ...rest,
    ...(default_judge == null ? {} : { default_judge }),
    ...(max_concurrent_runs == null ? {} : { max_concurrent_runs }),
  });
  await registry.putProject(project);
  return project;
}

/** Throws NotFoundError. */
export async function findProject(id: string, { registry }: { registry: Registry }): Promise<Project> {
  const project = await registry.getProject(id);
  if (project === null) throw new NotFoundError(`there is no project "${id}"`);
  return project;
}
