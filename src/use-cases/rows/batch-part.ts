import type { RunCounters, RunRecord } from '../../core/schemas/registry.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { Row } from '../../core/schemas/row.ts';
import type { RunRef } from '../../ports/result-parts.ts';
import type { DeployedPorts } from '../deployed.ts';
import { countersOf, NO_COUNTERS } from './batch-counters.ts';
import type { RowTask } from './evaluate-rows.ts';
import { PROBE_ROWS } from './run-guard.ts';

type Ports = Pick<DeployedPorts, 'parts' | 'rowIndex' | 'registry' | 'clock'>;

export interface OpenPart {
  readonly run: RunRecord;
  readonly phase: RowResult['phase'];
  /** At least one. */
  readonly rows: readonly Row[];
  /** In the order of the eval. */
  readonly targetIds: readonly string[];
}

/** A finished row is written down at the latest after this long: what a crash can lose is asked again. */
const CHECKPOINT_MS = 15_000;

/**
 * Parts of rows that are tried again stand behind those of the manifest, which has 10 million rows at most:
 * `part-90000017` holds the further trials of row 17 and of those that were asked with it.
 */
const CONFIRM_PARTS = 90_000_000;

interface Remainder {
  readonly firstIndex: number;
  readonly results: readonly RowResult[];
}

/**
 * The results of one batch and where they are kept. A batch that is delivered again finds here what is done; its part is
 * rewritten whole.
 */
export class BatchPart {
  /** Names the part and the counters of the batch. */
  readonly index: number;
  private readonly of: OpenPart;
  private readonly ports: Ports;
  private readonly ref: RunRef;
  private readonly results = new Map<string, RowResult>();
  private readonly readBack = new Set<string>();
  /** Done, and kept in the parts of others. */
  private readonly elsewhere = new Set<string>();
  private absorbed: readonly Remainder[] = [];
  private unsaved = 0;
  private savedAtMs: number;
  private savedOnce = false;
  private saving: Promise<void> = Promise.resolve();

  private constructor(of: OpenPart, ports: Ports) {
    const { run, phase, rows } = of;
    this.of = of;
    this.ports = ports;
    this.index = (phase === 'confirm' ? CONFIRM_PARTS : 0) + (rows[0]?.index ?? 0);
    this.ref = { runId: run.run_id, project: run.project, startedAt: run.started_at };
    this.savedAtMs = ports.clock.monotonicMs();
  }

  /** With what an earlier delivery finished. Skipped rows are tried again: a redrive may have more time. */
  static async open(of: OpenPart, ports: Ports): Promise<BatchPart> {
    const part = new BatchPart(of, ports);
    const earlier = (await ports.parts.read(part.ref, part.index)) ?? [];
    part.absorbed = part.index === 0 ? await part.probeRemainders() : [];
    for (const result of [...earlier, ...part.absorbed.flatMap(({ results }) => results)]) {
      if (result.status !== 'skipped') part.results.set(keyOfResult(result), result);
    }
    for (const key of part.results.keys()) part.readBack.add(key);
    await part.findProbed();
    return part;
  }

  get size(): number {
    return this.results.size;
  }

  has({ row, target, trial }: RowTask): boolean {
    const key = keyOf(row.index, trial, target.id);
    return this.results.has(key) || this.elsewhere.has(key);
  }

  /** In the order of the manifest. */
  inOrder(): readonly RowResult[] {
    const order = new Map(this.of.targetIds.map((id, at) => [id, at]));
    return [...this.results.values()].sort(
      (a, b) => a.index - b.index || a.trial - b.trial || (order.get(a.target) ?? 0) - (order.get(b.target) ?? 0),
    );
  }

  /** What this delivery added. */
  added(): RunCounters {
    return countersOf(this.inOrder().filter((result) => !this.readBack.has(keyOfResult(result))));
  }

  /** Every so often it writes down what there is; its promise is then to be awaited. */
  add(result: RowResult): Promise<void> | void {
    this.results.set(keyOfResult(result), result);
    this.unsaved += 1;
    const nowMs = this.ports.clock.monotonicMs();
    if (nowMs - this.savedAtMs < CHECKPOINT_MS) return;
    this.savedAtMs = nowMs;
    return this.save();
  }

  /** All results are there: writes them down. */
  async close(): Promise<void> {
    await this.save();
    await this.emptyAbsorbed();
  }

  /** Part first, since it is the truth; then the index; then the counters, which say how far the part is. */
  private save(): Promise<void> {
    const { parts, rowIndex, registry } = this.ports;
    this.saving = this.saving.then(async () => {
      if (this.unsaved === 0 && this.savedOnce) return;
      this.unsaved = 0;
      const results = this.inOrder();
      const part = await parts.write(this.ref, this.index, results);
      await rowIndex.put(this.ref.runId, part, results);
      await registry.putBatchCounters(this.ref.runId, this.index, this.countersFor(results));
      this.savedOnce = true;
    });
    return this.saving;
  }

  /** The manifest's results are counted already when rows are tried again; only the money is new. */
  private countersFor(results: readonly RowResult[]): RunCounters {
    const counters = countersOf(results);
    return this.of.phase === 'confirm' ? { ...NO_COUNTERS, cost_usd: counters.cost_usd } : counters;
  }

  /** Where batches are smaller than the probe, its rows are spread over several: what it asked is not asked again. */
  private async findProbed(): Promise<void> {
    if (this.index === 0 || this.index >= PROBE_ROWS) return;
    const others = Array.from({ length: PROBE_ROWS }, (_, at) => at).filter((at) => at !== this.index);
    const found = await Promise.all(others.map((at) => this.ports.parts.read(this.ref, at)));
    for (const result of found.flatMap((results) => results ?? [])) {
      if (result.status !== 'skipped') this.elsewhere.add(keyOfResult(result));
    }
  }

  /** Rows that the probe's Lambda handed back were a batch of their own; the Map's first batch holds them again. */
  private async probeRemainders(): Promise<readonly Remainder[]> {
    const firsts = this.of.rows.slice(1, PROBE_ROWS).map((row) => row.index);
    const found = await Promise.all(
      firsts.map(async (firstIndex) => ({ firstIndex, results: await this.ports.parts.read(this.ref, firstIndex) })),
    );
    return found.flatMap(({ firstIndex, results }) =>
      results === null || results.length === 0 ? [] : [{ firstIndex, results }],
    );
  }

  /** Once this batch's part holds their results, theirs must not: what is paid once would be counted twice. */
  private async emptyAbsorbed(): Promise<void> {
    for (const { firstIndex } of this.absorbed) {
      await this.ports.parts.write(this.ref, firstIndex, []);
      await this.ports.registry.putBatchCounters(this.ref.runId, firstIndex, NO_COUNTERS);
    }
  }
}

const keyOf = (index: number, trial: number, targetId: string): string => `${index} ${trial} ${targetId}`;
const keyOfResult = ({ index, trial, target }: RowResult): string => keyOf(index, trial, target);
