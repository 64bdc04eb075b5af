import type { ApiToken } from '../core/schemas/api-token.ts';
import type { BaselinePin } from '../core/schemas/baseline-pin.ts';
import type {
  DatasetVersion,
  EvalVersion,
  GateRun,
  Project,
  RunCounters,
  RunRecord,
} from '../core/schemas/registry.ts';

/** A webhook delivery seen before: what it asked and what it was answered. */
export interface Delivery {
  /** SHA-256 of the raw body. */
  readonly bodyHash: string;
  readonly gateRunId: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Opaque; null at the end. */
  readonly cursor: string | null;
}

/**
 * Projects, evals, datasets, runs and gates. One writer wins where two race: creating calls say whether they did.
 * Throws StorageError where the medium fails after its retries. Every read by id is strongly consistent.
 */
export interface Registry {
  /** False when the id is taken. */
  createProject(project: Project): Promise<boolean>;
  putProject(project: Project): Promise<void>;
  getProject(id: string): Promise<Project | null>;
  listProjects(): Promise<readonly Project[]>;

  /** Stores `version` when it is exactly one above the newest (or 1); false when another writer was first. */
  addEvalVersion(version: EvalVersion): Promise<boolean>;
  /** Newest version, or the one asked for. Null when deleted or unknown. */
  getEval(project: string, name: string, version?: number): Promise<EvalVersion | null>;
  listEvals(project: string): Promise<readonly EvalVersion[]>;
  deleteEval(project: string, name: string): Promise<void>;

  putDatasetVersion(version: DatasetVersion): Promise<void>;
  /** Newest ready version, or the one asked for (also a `processing` or `invalid` one by its upload id). */
  getDataset(project: string, id: string, version?: string): Promise<DatasetVersion | null>;
  /** One a dataset, by id: its newest ready version, or the newest of any status while none is ready. */
  listDatasets(project: string): Promise<readonly DatasetVersion[]>;
  /** All versions of one dataset, newest first. */
  listDatasetVersions(project: string, id: string): Promise<readonly DatasetVersion[]>;
  deleteDataset(project: string, id: string): Promise<void>;

  /** False when the run exists already (the same delivery, started again). */
  createRun(run: RunRecord): Promise<boolean>;
  getRun(runId: string): Promise<RunRecord | null>;
  /**
   * Applies `change` to a run whose status is one of `from`; returns the run after it, or null when the status
   * was another (somebody else was first). Final statuses: passed, failed, error, cancelled.
   */
  updateRun(runId: string, from: readonly RunRecord['status'][], change: Partial<RunRecord>): Promise<RunRecord | null>;
  /** Runs that are queued or running, oldest first; for the sweep. */
  listOpenRuns(): Promise<readonly RunRecord[]>;
  /** Runs that are over with `announce_pending`, oldest first; for the sweep. */
  listUnannounced(): Promise<readonly RunRecord[]>;
  /** The end of this attempt is told. Does nothing where the run is open again, or at another attempt. */
  markAnnounced(runId: string, attempt: number): Promise<void>;
  /** Newest first. */
  listRuns(project: string, evalName: string, options: { limit: number; cursor?: string }): Promise<Page<RunRecord>>;

  createGateRun(gate: GateRun): Promise<boolean>;
  getGateRun(gateRunId: string): Promise<GateRun | null>;

  /** Remembers a delivery for a day. Returns the earlier one when the key was seen before, null when this call stored it. */
  rememberDelivery(project: string, key: string, delivery: Delivery): Promise<Delivery | null>;

  /** False when the id is taken. */
  createToken(token: ApiToken): Promise<boolean>;
  putToken(token: ApiToken): Promise<void>;
  getToken(id: string): Promise<ApiToken | null>;
  /** Oldest first, those that were revoked or ran out too. */
  listTokens(): Promise<readonly ApiToken[]>;

  /** Records are only ever added. */
  addBaselinePin(pin: BaselinePin): Promise<void>;
  /** Newest first: the first one holds. */
  listBaselinePins(project: string, evalName: string, limit: number): Promise<readonly BaselinePin[]>;

  /** Replaces what one batch contributed to the run's counters; a batch delivered twice counts once. */
  putBatchCounters(runId: string, firstIndex: number, counters: RunCounters): Promise<void>;
  getCounters(runId: string): Promise<RunCounters>;
}
