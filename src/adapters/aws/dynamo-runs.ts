import { InvalidCursorError, StorageError } from '../../core/errors.ts';
import type { GateRun, RunRecord } from '../../core/schemas/registry.ts';
import { GateRunSchema, RunRecordSchema } from '../../core/schemas/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Delivery, Page } from '../../ports/registry.ts';
import { makeCursor, pageSize, readCursor } from './cursor.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { packJson, readStored, unpackJson } from './packed-json.ts';
import type { Key } from './table-keys.ts';
import { keys, OPEN_RUNS, UNANNOUNCED_RUNS } from './table-keys.ts';

const ABSENT = { expression: 'attribute_not_exists(pk)' };
const DELIVERY_DAYS = 1;
const ORDER_PATTERN = /^[+-]?\d{4,6}-\d\d-\d\dT[\d:.]+Z#[^#]{1,200}$/;
const LONGEST_MESSAGE = 16_000;

/** These never change: keys are made of them. */
const IDENTITY_FIELDS = ['run_id', 'gate_run_id', 'project', 'eval', 'started_at'] as const;
/** Stored as JSON; all other fields are scalars of their own, so that one update changes what it names and no more. */
const JSON_FIELDS: ReadonlySet<string> = new Set(['decision', 'earlier', 'figures']);

/** Runs, gate runs and deliveries. */
export class DynamoRuns {
  private readonly table: DynamoTable;
  private readonly clock: Clock;

  constructor(table: DynamoTable, clock: Clock) {
    this.table = table;
    this.clock = clock;
  }

  async createRun(run: RunRecord): Promise<boolean> {
    await this.table.put({
      pk: keys.runsOfEval(run.project, run.eval),
      sk: keys.runOrder(run.started_at, run.run_id),
      run_id: run.run_id,
    });
    const attributes = Object.entries(run).map(([field, value]) => [field, stored(field, value)]);
    const item = { ...keys.run(run.run_id), ...Object.fromEntries(attributes), ...openMark(run) };
    return (await this.table.putIf(item, ABSENT)).written;
  }

  async getRun(runId: string): Promise<RunRecord | null> {
    const item = await this.table.get(keys.run(runId));
    return item === null ? null : readRun(item);
  }

  async updateRun(
    runId: string,
    from: readonly RunRecord['status'][],
    change: Partial<RunRecord>,
  ): Promise<RunRecord | null> {
    if (from.length === 0) return null;
    const current = await this.getRun(runId);
    if (current === null) return null;
    refuseNewIdentity(current, change);

    const names: Record<string, string> = { '#status': 'status' };
    const values: Record<string, unknown> = {};
    const set: string[] = [];
    const remove: string[] = [];
    for (const [field, value] of Object.entries(change)) {
      if (value === undefined || (IDENTITY_FIELDS as readonly string[]).includes(field)) continue;
      names[`#${field}`] = field;
      values[`:${field}`] = stored(field, value);
      set.push(`#${field} = :${field}`);
    }
    const mark = change.status === undefined ? null : markOf({ ...current, ...change });
    if (mark !== null) {
      Object.assign(values, { ':mark_pk': mark, ':mark_sk': keys.runOrder(current.started_at, runId) });
      set.push('gsi1pk = :mark_pk', 'gsi1sk = :mark_sk');
    } else if (change.status !== undefined) {
      remove.push('gsi1pk', 'gsi1sk');
    }
    const allowed = Object.fromEntries(from.map((status, index) => [`:from${index}`, status]));
    const condition = { expression: `#status IN (${Object.keys(allowed).join(', ')})`, values: allowed };
    const item = await this.table.updateIf(keys.run(runId), { set, remove, names, values }, condition);
    return item === null ? null : readRun(item);
  }

  /** The index may lag: what it names is read from the table and looked at again. */
  async listOpenRuns(): Promise<readonly RunRecord[]> {
    const marks = await this.table.query({ index: true, partition: OPEN_RUNS });
    const runs = (await this.table.getAll(marks)).map(readRun);
    return runs.filter((run) => isOpen(run.status));
  }

  async listUnannounced(): Promise<readonly RunRecord[]> {
    const marks = await this.table.query({ index: true, partition: UNANNOUNCED_RUNS });
    const runs = (await this.table.getAll(marks)).map(readRun);
    return runs.filter((run) => !isOpen(run.status) && run.announce_pending === true);
  }

  async markAnnounced(runId: string, attempt: number): Promise<void> {
    const update = {
      set: ['#pending = :told'],
      remove: ['gsi1pk', 'gsi1sk'],
      names: { '#pending': 'announce_pending', '#attempt': 'attempt' },
      values: { ':told': false, ':attempt': attempt },
    };
    // A run that was redriven meanwhile stands in the index as open: that mark is not ours to take away.
    const condition = {
      expression: '#attempt = :attempt AND gsi1pk = :unannounced',
      values: { ':unannounced': UNANNOUNCED_RUNS },
    };
    await this.table.updateIf(keys.run(runId), update, condition);
  }

  async listRuns(
    project: string,
    evalName: string,
    options: { limit: number; cursor?: string },
  ): Promise<Page<RunRecord>> {
    const limit = pageSize(options.limit);
    const partition = keys.runsOfEval(project, evalName);
    const before = readCursor(partition, options.cursor);
    if (before !== undefined && !ORDER_PATTERN.test(before)) throw new InvalidCursorError('the cursor is damaged');
    const found = await this.table.query({
      partition,
      descending: true,
      limit: limit + 1,
      ...(before === undefined ? {} : { after: before }),
    });
    const shown = found.slice(0, limit);
    const runs = await this.table.getAll(shown.map((entry) => keys.run(String(entry.run_id))));
    // An entry whose run was never created, or was created with another start, leads nowhere.
    const entries = new Set(shown.map((entry) => entry.sk));
    const last = shown.at(-1);
    return {
      items: distinctRuns(runs.map(readRun)).filter((run) => entries.has(keys.runOrder(run.started_at, run.run_id))),
      cursor: found.length > limit && last !== undefined ? makeCursor(partition, last.sk) : null,
    };
  }

  async createGateRun(gate: GateRun): Promise<boolean> {
    const item = { ...keys.gate(gate.gate_run_id), body: packJson(`gate run ${gate.gate_run_id}`, gate) };
    return (await this.table.putIf(item, ABSENT)).written;
  }

  async getGateRun(gateRunId: string): Promise<GateRun | null> {
    const item = await this.table.get(keys.gate(gateRunId));
    return item === null ? null : readStored(GateRunSchema, item);
  }

  async rememberDelivery(project: string, key: string, delivery: Delivery): Promise<Delivery | null> {
    const now = Math.floor(this.clock.now() / 1000);
    const item = {
      ...keys.delivery(project, key),
      body_hash: delivery.bodyHash,
      gate_run_id: delivery.gateRunId,
      ttl: now + DELIVERY_DAYS * 86_400,
    };
    // Expired items may stay for days before they are deleted.
    const free = {
      expression: 'attribute_not_exists(pk) OR #ttl <= :now',
      names: { '#ttl': 'ttl' },
      values: { ':now': now },
    };
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const { written, found } = await this.table.putIf(item, free);
      if (written) return null;
      if (found !== null) return { bodyHash: String(found.body_hash), gateRunId: String(found.gate_run_id) };
      // Deleted between the condition and the read: the key is free now.
    }
    throw new StorageError(`delivery of project "${project}" could be neither stored nor read`);
  }
}

function isOpen(status: RunRecord['status']): boolean {
  return status === 'queued' || status === 'running';
}

/** Partition of the index that the run stands in. */
function markOf({ status, announce_pending }: Pick<RunRecord, 'status' | 'announce_pending'>): string | null {
  if (isOpen(status)) return OPEN_RUNS;
  return announce_pending === true ? UNANNOUNCED_RUNS : null;
}

function openMark(run: RunRecord): Item {
  const mark = markOf(run);
  if (mark === null) return {};
  return { gsi1pk: mark, gsi1sk: keys.runOrder(run.started_at, run.run_id) };
}

function stored(field: string, value: unknown): unknown {
  if (JSON_FIELDS.has(field)) return packJson(`"${field}" of the run`, value);
  if (field === 'message' && typeof value === 'string' && value.length > LONGEST_MESSAGE) {
    return `${value.slice(0, LONGEST_MESSAGE)}…`;
  }
  return value;
}

function readRun(item: Key & Item): RunRecord {
  const fields = Object.entries(item).map(([field, value]) => [
    field,
    JSON_FIELDS.has(field) ? unpackJson(value) : value,
  ]);
  const parsed = RunRecordSchema.safeParse(Object.fromEntries(fields));
  if (parsed.success) return parsed.data;
  throw new StorageError(`the stored run ${item.pk} does not fit: ${parsed.error.message}`);
}

export function refuseNewIdentity(current: RunRecord, change: Partial<RunRecord>): void {
  for (const field of IDENTITY_FIELDS) {
    if (change[field] !== undefined && change[field] !== current[field]) {
      throw new TypeError(`run ${current.run_id}: ${field} cannot change`);
    }
  }
}

function distinctRuns(runs: readonly RunRecord[]): RunRecord[] {
  return [...new Map(runs.map((run) => [run.run_id, run])).values()];
}
