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
import type { Clock } from '../../ports/clock.ts';
import type { Delivery, Page, Registry } from '../../ports/registry.ts';
import { DynamoCatalog } from './dynamo-catalog.ts';
import { DynamoCounters } from './dynamo-counters.ts';
import { DynamoGovernance } from './dynamo-governance.ts';
import { DynamoRuns } from './dynamo-runs.ts';
import type { DynamoTable } from './dynamo-table.ts';

/** The registry in the one table that `table-keys.ts` describes. */
export class DynamoRegistry implements Registry {
  private readonly catalog: DynamoCatalog;
  private readonly runs: DynamoRuns;
  private readonly counters: DynamoCounters;
  private readonly governance: DynamoGovernance;

  constructor(table: DynamoTable, clock: Clock) {
    this.catalog = new DynamoCatalog(table);
    this.runs = new DynamoRuns(table, clock);
    this.counters = new DynamoCounters(table, clock);
    this.governance = new DynamoGovernance(table);
  }

  createProject(project: Project): Promise<boolean> {
    return this.catalog.createProject(project);
  }
  putProject(project: Project): Promise<void> {
    return this.catalog.putProject(project);
  }
  getProject(id: string): Promise<Project | null> {
    return this.catalog.getProject(id);
  }
  listProjects(): Promise<readonly Project[]> {
    return this.catalog.listProjects();
  }

  addEvalVersion(version: EvalVersion): Promise<boolean> {
    return this.catalog.addEvalVersion(version);
  }
  getEval(project: string, name: string, version?: number): Promise<EvalVersion | null> {
    return this.catalog.getEval(project, name, version);
  }
  listEvals(project: string): Promise<readonly EvalVersion[]> {
    return this.catalog.listEvals(project);
  }
  deleteEval(project: string, name: string): Promise<void> {
    return this.catalog.deleteEval(project, name);
  }

  putDatasetVersion(version: DatasetVersion): Promise<void> {
    return this.catalog.putDatasetVersion(version);
  }
  getDataset(project: string, id: string, version?: string): Promise<DatasetVersion | null> {
    return this.catalog.getDataset(project, id, version);
  }
  listDatasets(project: string): Promise<readonly DatasetVersion[]> {
    return this.catalog.listDatasets(project);
  }
  listDatasetVersions(project: string, id: string): Promise<readonly DatasetVersion[]> {
    return this.catalog.listDatasetVersions(project, id);
  }
  deleteDataset(project: string, id: string): Promise<void> {
    return this.catalog.deleteDataset(project, id);
  }

  createRun(run: RunRecord): Promise<boolean> {
    return this.runs.createRun(run);
  }
  getRun(runId: string): Promise<RunRecord | null> {
    return this.runs.getRun(runId);
  }
  updateRun(
    runId: string,
    from: readonly RunRecord['status'][],
    change: Partial<RunRecord>,
  ): Promise<RunRecord | null> {
    return this.runs.updateRun(runId, from, change);
  }
  listOpenRuns(): Promise<readonly RunRecord[]> {
    return this.runs.listOpenRuns();
  }
  listUnannounced(): Promise<readonly RunRecord[]> {
    return this.runs.listUnannounced();
  }
  markAnnounced(runId: string, attempt: number): Promise<void> {
    return this.runs.markAnnounced(runId, attempt);
  }
  listRuns(project: string, evalName: string, options: { limit: number; cursor?: string }): Promise<Page<RunRecord>> {
    return this.runs.listRuns(project, evalName, options);
  }

  createGateRun(gate: GateRun): Promise<boolean> {
    return this.runs.createGateRun(gate);
  }
  getGateRun(gateRunId: string): Promise<GateRun | null> {
    return this.runs.getGateRun(gateRunId);
  }
  rememberDelivery(project: string, key: string, delivery: Delivery): Promise<Delivery | null> {
    return this.runs.rememberDelivery(project, key, delivery);
  }

  createToken(token: ApiToken): Promise<boolean> {
    return this.governance.createToken(token);
  }
  putToken(token: ApiToken): Promise<void> {
    return this.governance.putToken(token);
  }
  getToken(id: string): Promise<ApiToken | null> {
    return this.governance.getToken(id);
  }
  listTokens(): Promise<readonly ApiToken[]> {
    return this.governance.listTokens();
  }
  addBaselinePin(pin: BaselinePin): Promise<void> {
    return this.governance.addBaselinePin(pin);
  }
  listBaselinePins(project: string, evalName: string, limit: number): Promise<readonly BaselinePin[]> {
    return this.governance.listBaselinePins(project, evalName, limit);
  }

  putBatchCounters(runId: string, firstIndex: number, counters: RunCounters): Promise<void> {
    return this.counters.put(runId, firstIndex, counters);
  }
  getCounters(runId: string): Promise<RunCounters> {
    return this.counters.get(runId);
  }
}
