import type { ApiToken } from '../../core/schemas/api-token.ts';
import type { BaselinePin } from '../../core/schemas/baseline-pin.ts';
import type {
  DatasetVersion,
  EvalVersion,
  GateRun,
  Project,
  RunCounters,
  RunRecord,
} from '../../core/schemas/registry.ts';
import { RunCountersSchema } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Delivery, Page, Registry } from '../../ports/registry.ts';
import { makeCursor, pageSize, readCursor } from '../aws/cursor.ts';
import { newestFirst } from '../aws/dynamo-catalog.ts';
import { byCreation } from '../aws/dynamo-governance.ts';
import { refuseNewIdentity } from '../aws/dynamo-runs.ts';

const DELIVERY_MS = 86_400_000;
const COUNTER_FIELDS = RunCountersSchema.keyof().options;

/** The registry in this process, for tests of use cases. What goes in and out is copied. */
export class MemoryRegistry implements Registry {
  private readonly clock: Pick<Clock, 'now'>;
  private readonly projects = new Map<string, Project>();
  private readonly evals: EvalVersion[] = [];
  /** By [project, id, kind, version or upload id]: a version is found by either. */
  private readonly datasets = new Map<string, DatasetVersion>();
  private readonly runs = new Map<string, RunRecord>();
  private readonly gates = new Map<string, GateRun>();
  private readonly deliveries = new Map<string, { delivery: Delivery; until: number }>();
  private readonly tokens = new Map<string, ApiToken>();
  private readonly pins: BaselinePin[] = [];
  private readonly batches = new Map<string, Map<number, RunCounters>>();

  constructor(clock: Pick<Clock, 'now'> = { now: () => Date.now() }) {
    this.clock = clock;
  }

  async createProject(project: Project): Promise<boolean> {
    return addOnce(this.projects, project.id, project);
  }
  async putProject(project: Project): Promise<void> {
    this.projects.set(project.id, structuredClone(project));
  }
  async getProject(id: string): Promise<Project | null> {
    return copy(this.projects.get(id));
  }
  async listProjects(): Promise<readonly Project[]> {
    return structuredClone([...this.projects.values()].sort((a, b) => compare(a.id, b.id)));
  }

  async addEvalVersion(version: EvalVersion): Promise<boolean> {
    // No await between looking and storing: of two writers at once, one is first.
    const newest = this.versionsOf(version.project, version.name).at(-1);
    if (version.version !== (newest?.version ?? 0) + 1) return false;
    this.evals.push(structuredClone(version));
    return true;
  }
  async getEval(project: string, name: string, version?: number): Promise<EvalVersion | null> {
    const versions = this.versionsOf(project, name);
    return copy(version === undefined ? versions.at(-1) : versions.find((found) => found.version === version));
  }
  async listEvals(project: string): Promise<readonly EvalVersion[]> {
    const newest = new Map(this.evals.filter((found) => found.project === project).map((found) => [found.name, found]));
    return structuredClone([...newest.values()].sort((a, b) => compare(a.name, b.name)));
  }
  async deleteEval(project: string, name: string): Promise<void> {
    const kept = this.evals.filter((found) => found.project !== project || found.name !== name);
    this.evals.splice(0, this.evals.length, ...kept);
  }

  async putDatasetVersion(version: DatasetVersion): Promise<void> {
    if (version.version === '' && version.upload_id === undefined) {
      throw new TypeError(`dataset "${version.id}": a version without rows needs its upload_id`);
    }
    const { project, id } = version;
    if (version.version !== '')
      this.datasets.set(datasetKey(project, id, 'version', version.version), structuredClone(version));
    if (version.upload_id !== undefined) {
      this.datasets.set(datasetKey(project, id, 'upload', version.upload_id), structuredClone(version));
    }
  }
  async getDataset(project: string, id: string, version?: string): Promise<DatasetVersion | null> {
    if (version === undefined) {
      const versions = await this.listDatasetVersions(project, id);
      return versions.find((found) => found.status === 'ready') ?? null;
    }
    const named = this.datasets.get(datasetKey(project, id, 'version', version));
    return copy(named ?? this.datasets.get(datasetKey(project, id, 'upload', version)));
  }
  async listDatasets(project: string): Promise<readonly DatasetVersion[]> {
    const all = [...this.datasets.values()];
    const ids = new Set(all.filter((found) => found.project === project).map((found) => found.id));
    const lists = await Promise.all([...ids].sort(compare).map((id) => this.listDatasetVersions(project, id)));
    return lists
      .map((versions) => versions.find((version) => version.status === 'ready') ?? versions[0])
      .filter((version) => version !== undefined);
  }
  async listDatasetVersions(project: string, id: string): Promise<readonly DatasetVersion[]> {
    const versions = [...this.datasets.values()].filter((found) => found.project === project && found.id === id);
    return structuredClone(newestFirst(versions));
  }
  async deleteDataset(project: string, id: string): Promise<void> {
    for (const [key, found] of this.datasets) {
      if (found.project === project && found.id === id) this.datasets.delete(key);
    }
  }

  async createRun(run: RunRecord): Promise<boolean> {
    return addOnce(this.runs, run.run_id, run);
  }
  async getRun(runId: string): Promise<RunRecord | null> {
    return copy(this.runs.get(runId));
  }
  async updateRun(
    runId: string,
    from: readonly RunRecord['status'][],
    change: Partial<RunRecord>,
  ): Promise<RunRecord | null> {
    const run = this.runs.get(runId);
    if (run === undefined) return null;
    refuseNewIdentity(run, change);
    if (!from.includes(run.status)) return null;
    const defined = Object.entries(change).filter(([, value]) => value !== undefined);
    const changed = { ...run, ...structuredClone(Object.fromEntries(defined)) };
    this.runs.set(runId, changed);
    return structuredClone(changed);
  }
  async listOpenRuns(): Promise<readonly RunRecord[]> {
    const open = [...this.runs.values()].filter((run) => run.status === 'queued' || run.status === 'running');
    return structuredClone(open.sort((a, b) => compare(order(a), order(b))));
  }
  async listUnannounced(): Promise<readonly RunRecord[]> {
    const over = [...this.runs.values()].filter((run) => !['queued', 'running'].includes(run.status));
    const pending = over.filter((run) => run.announce_pending === true);
    return structuredClone(pending.sort((a, b) => compare(order(a), order(b))));
  }
  async markAnnounced(runId: string, attempt: number): Promise<void> {
    const run = this.runs.get(runId);
    if (run === undefined || run.attempt !== attempt || ['queued', 'running'].includes(run.status)) return;
    if (run.announce_pending === true) this.runs.set(runId, { ...run, announce_pending: false });
  }
  async listRuns(
    project: string,
    evalName: string,
    options: { limit: number; cursor?: string },
  ): Promise<Page<RunRecord>> {
    const list = JSON.stringify(['runs', project, evalName]);
    const before = readCursor(list, options.cursor);
    const left = [...this.runs.values()]
      .filter((run) => run.project === project && run.eval === evalName)
      .sort((a, b) => compare(order(b), order(a)))
      .filter((run) => before === undefined || order(run) < before);
    const items = left.slice(0, pageSize(options.limit));
    const last = items.at(-1);
    const more = left.length > items.length && last !== undefined;
    return { items: structuredClone(items), cursor: more ? makeCursor(list, order(last)) : null };
  }

  async createGateRun(gate: GateRun): Promise<boolean> {
    return addOnce(this.gates, gate.gate_run_id, gate);
  }
  async getGateRun(gateRunId: string): Promise<GateRun | null> {
    return copy(this.gates.get(gateRunId));
  }

  async rememberDelivery(project: string, key: string, delivery: Delivery): Promise<Delivery | null> {
    const identity = JSON.stringify([project, key]);
    const known = this.deliveries.get(identity);
    if (known !== undefined && known.until > this.clock.now()) return { ...known.delivery };
    this.deliveries.set(identity, { delivery: { ...delivery }, until: this.clock.now() + DELIVERY_MS });
    return null;
  }

  async createToken(token: ApiToken): Promise<boolean> {
    return addOnce(this.tokens, token.id, token);
  }
  async putToken(token: ApiToken): Promise<void> {
    this.tokens.set(token.id, structuredClone(token));
  }
  async getToken(id: string): Promise<ApiToken | null> {
    return copy(this.tokens.get(id));
  }
  async listTokens(): Promise<readonly ApiToken[]> {
    return structuredClone([...this.tokens.values()].sort(byCreation));
  }

  async addBaselinePin(pin: BaselinePin): Promise<void> {
    this.pins.push(structuredClone(pin));
  }
  async listBaselinePins(project: string, evalName: string, limit: number): Promise<readonly BaselinePin[]> {
    const pins = this.pins.filter((pin) => pin.project === project && pin.eval === evalName);
    const time = (pin: BaselinePin) => `${new Date(pin.promoted_at).toISOString()}#${pin.run_id}`;
    return structuredClone(pins.sort((a, b) => compare(time(b), time(a))).slice(0, limit));
  }

  async putBatchCounters(runId: string, firstIndex: number, counters: RunCounters): Promise<void> {
    const batches = this.batches.get(runId) ?? new Map<number, RunCounters>();
    batches.set(firstIndex, RunCountersSchema.parse(counters));
    this.batches.set(runId, batches);
  }
  async getCounters(runId: string): Promise<RunCounters> {
    const batches = [...(this.batches.get(runId)?.values() ?? [])];
    const sum = (field: keyof RunCounters) => batches.reduce((total, batch) => total + batch[field], 0);
    return RunCountersSchema.parse(Object.fromEntries(COUNTER_FIELDS.map((field) => [field, sum(field)])));
  }

  private versionsOf(project: string, name: string): EvalVersion[] {
    return this.evals.filter((found) => found.project === project && found.name === name);
  }
}

function datasetKey(project: string, id: string, kind: 'version' | 'upload', name: string): string {
  return JSON.stringify([project, id, kind, name]);
}

function addOnce<T>(map: Map<string, T>, key: string, value: T): boolean {
  if (map.has(key)) return false;
  map.set(key, structuredClone(value));
  return true;
}

function copy<T>(value: T | undefined): T | null {
  return value === undefined ? null : structuredClone(value);
}

function order(run: RunRecord): string {
  return `${new Date(run.started_at).toISOString()}#${run.run_id}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
