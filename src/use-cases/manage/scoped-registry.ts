import type { Registry } from '../../ports/registry.ts';
import { NotFoundError } from './errors.ts';

/**
 * The registry as the holder of a token sees it: what belongs to other projects does not exist. Every operation then
 * answers an id of another project exactly as one that was never given out.
 */
export function scopedRegistry(registry: Registry, projects: readonly string[]): Registry {
  const isOurs = (project: string) => projects.includes(project);
  /** Nothing outside is found, so nothing outside is written; a path that forgets to look ends here. */
  const inScope = <T>(project: string, write: () => Promise<T>): Promise<T> => {
    if (!isOurs(project)) throw new NotFoundError(`there is no project "${project}"`);
    return write();
  };
  const runInScope = async (runId: string) => isOurs((await registry.getRun(runId))?.project ?? '');
  const notForScoped = () => Promise.reject(new Error('a token of some projects reaches no tokens'));
  return {
    createProject: async (project) => inScope(project.id, () => registry.createProject(project)),
    putProject: async (project) => inScope(project.id, () => registry.putProject(project)),
    getProject: async (id) => (isOurs(id) ? registry.getProject(id) : null),
    listProjects: async () => (await registry.listProjects()).filter(({ id }) => isOurs(id)),

    addEvalVersion: async (version) => inScope(version.project, () => registry.addEvalVersion(version)),
    getEval: async (project, name, version) => (isOurs(project) ? registry.getEval(project, name, version) : null),
    listEvals: async (project) => (isOurs(project) ? registry.listEvals(project) : []),
    deleteEval: async (project, name) => inScope(project, () => registry.deleteEval(project, name)),

    putDatasetVersion: async (version) => inScope(version.project, () => registry.putDatasetVersion(version)),
    getDataset: async (project, id, version) => (isOurs(project) ? registry.getDataset(project, id, version) : null),
    listDatasets: async (project) => (isOurs(project) ? registry.listDatasets(project) : []),
    listDatasetVersions: async (project, id) => (isOurs(project) ? registry.listDatasetVersions(project, id) : []),
    deleteDataset: async (project, id) => inScope(project, () => registry.deleteDataset(project, id)),

    createRun: async (run) => inScope(run.project, () => registry.createRun(run)),
    getRun: async (runId) => {
      const run = await registry.getRun(runId);
      return run !== null && isOurs(run.project) ? run : null;
    },
    updateRun: async (runId, from, change) =>
      (await runInScope(runId)) ? registry.updateRun(runId, from, change) : null,
    listOpenRuns: async () => (await registry.listOpenRuns()).filter(({ project }) => isOurs(project)),
    listUnannounced: async () => (await registry.listUnannounced()).filter(({ project }) => isOurs(project)),
    markAnnounced: async (runId, attempt) => {
      if (await runInScope(runId)) await registry.markAnnounced(runId, attempt);
    },
    listRuns: async (project, evalName, options) =>
      isOurs(project) ? registry.listRuns(project, evalName, options) : { items: [], cursor: null },

    createGateRun: async (gate) => inScope(gate.project, () => registry.createGateRun(gate)),
    getGateRun: async (id) => {
      const gate = await registry.getGateRun(id);
      return gate !== null && isOurs(gate.project) ? gate : null;
    },
    rememberDelivery: async (project, key, delivery) =>
      inScope(project, () => registry.rememberDelivery(project, key, delivery)),

    createToken: notForScoped,
    putToken: notForScoped,
    getToken: notForScoped,
    listTokens: notForScoped,

    addBaselinePin: async (pin) => inScope(pin.project, () => registry.addBaselinePin(pin)),
    listBaselinePins: async (project, evalName, limit) =>
      isOurs(project) ? registry.listBaselinePins(project, evalName, limit) : [],

    putBatchCounters: async (runId, firstIndex, counters) => {
      if (await runInScope(runId)) await registry.putBatchCounters(runId, firstIndex, counters);
    },
    // Runs are looked up before their counters are asked for.
    getCounters: (runId) => registry.getCounters(runId),
  };
}
