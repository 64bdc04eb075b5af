import type * as z from 'zod';
import { type Project, ProjectSchema } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Registry } from '../../ports/registry.ts';
import type { SystemSecrets } from '../../ports/system-secrets.ts';
import { ConflictError } from './errors.ts';
import { ProjectSettingsSchema } from './put-project.ts';
import { makeWebhookSecret } from './webhook-secret.ts';

export interface CreateProjectPorts {
  readonly registry: Registry;
  readonly systemSecrets: SystemSecrets;
  readonly clock: Clock;
  randomBytes(count: number): Uint8Array;
}

/** A new project; without a name it is called by its id. */
export const NewProjectSchema = ProjectSettingsSchema.extend({ id: ProjectSchema.shape.id });
export type NewProject = z.infer<typeof NewProjectSchema>;

/** The webhook secret is told here, once. Throws ConflictError when the id is taken. */
export async function createProject(
  { default_judge, max_concurrent_runs, ...settings }: NewProject,
  ports: CreateProjectPorts,
): Promise<{ project: Project; webhookSecret: string }> {
  const project = ProjectSchema.parse({
    name: settings.id,
    ...settings,
    ...(default_judge == null ? {} : { default_judge }),
    ...(max_concurrent_runs == null ? {} : { max_concurrent_runs }),
    created_at: new Date(ports.clock.now()).toISOString(),
  });
  // The project first: of two who ask for the same id, only the one who got it may set its secret.
  if (!(await ports.registry.createProject(project))) {
    throw new ConflictError(
      'project-exists',
      `project "${project.id}" exists already; POST /api/projects/${project.id}/webhook-secret gives it a new secret`,
    );
  }
  const webhookSecret = makeWebhookSecret(ports.randomBytes);
  await ports.systemSecrets.putWebhook(project.id, { current: webhookSecret });
  return { project, webhookSecret };
}
