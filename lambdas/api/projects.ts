import * as z from 'zod';
import type { Project } from '../../src/core/schemas/registry.ts';
import { createProject, NewProjectSchema } from '../../src/use-cases/manage/create-project.ts';
import { listSecrets } from '../../src/use-cases/manage/list-secrets.ts';
import { findProject, ProjectSettingsSchema, putProject } from '../../src/use-cases/manage/put-project.ts';
import { rotateWebhookSecret } from '../../src/use-cases/manage/rotate-webhook-secret.ts';
import { startWaiting } from '../../src/use-cases/start/run-queue.ts';
import { parseJsonBody } from '../shared/http-body.ts';
import { jsonResponse } from '../shared/http-response.ts';
import { refuseUnlessOwner } from './caller.ts';
import { projectParameter } from './parameters.ts';
import type { ApiOperation } from './ports.ts';

export const RotationSchema = z.strictObject({ keep_previous: z.boolean().default(true) });

export const createProjectOperation: ApiOperation = async (request, ports, caller) => {
  refuseUnlessOwner(caller, 'making a project');
  const { project, webhookSecret } = await createProject(parseJsonBody(request, NewProjectSchema), ports);
  const location = { location: `/api/projects/${project.id}` };
  return jsonResponse(201, { ...toView(project), webhook_secret: webhookSecret }, location);
};

export const listProjectsOperation: ApiOperation = async (_request, { registry }) => {
  return jsonResponse(200, { items: (await registry.listProjects()).map(toView) });
};

export const readProjectOperation: ApiOperation = async (request, ports) => {
  return jsonResponse(200, toView(await findProject(projectParameter(request, 'id'), ports)));
};

export const putProjectOperation: ApiOperation = async (request, ports) => {
  const id = projectParameter(request, 'id');
  const settings = parseJsonBody(request, ProjectSettingsSchema);
  const project = await putProject(id, settings, ports);
  // A limit that was raised lets runs start that wait.
  if (settings.max_concurrent_runs !== undefined) await startWaiting(id, ports);
  return jsonResponse(200, toView(project));
};

export const listSecretsOperation: ApiOperation = async (request, ports) => {
  return jsonResponse(200, { items: await listSecrets(projectParameter(request, 'id'), ports) });
};

export const rotateWebhookSecretOperation: ApiOperation = async (request, ports) => {
  const project = projectParameter(request, 'id');
  const { keep_previous } = parseJsonBody(request, RotationSchema);
  const rotated = await rotateWebhookSecret({ project, keepPrevious: keep_previous }, ports);
  return jsonResponse(200, { webhook_secret: rotated.webhookSecret, previous_valid: rotated.previousValid });
};

function toView(project: Project) {
  return { ...project, webhook_url: `/api/runs/webhook/${project.id}` };
}
