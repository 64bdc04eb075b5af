import type { RunRecord } from '../../core/schemas/registry.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { IndexedResult } from '../../ports/row-index.ts';
import type { DeployedPorts } from '../deployed.ts';

type Ports = Pick<DeployedPorts, 'parts'>;

/** Reads each part of a run once while its rows follow each other; keeps one, since parts are large. */
export class PartCache {
  private readonly run: RunRecord;
  private readonly ports: Ports;
  private name = '';
  private results: readonly RowResult[] = [];

  constructor(run: RunRecord, ports: Ports) {
    this.run = run;
    this.ports = ports;
  }

  /** The whole result; null when the part that held it is gone. */
  async find(indexed: IndexedResult): Promise<RowResult | null> {
    if (indexed.part !== this.name) {
      this.results = (await this.read(indexed.part)) ?? [];
      this.name = indexed.part;
    }
    return this.results.find((result) => isSame(result, indexed)) ?? null;
  }

  private async read(part: string): Promise<readonly RowResult[] | null> {
    const firstIndex = /^part-(\d{8})\./.exec(part)?.[1];
    if (firstIndex === undefined) return null;
    const { run_id, project, started_at } = this.run;
    return this.ports.parts.read({ runId: run_id, project, startedAt: started_at }, Number(firstIndex));
  }
}

function isSame(a: RowResult, b: IndexedResult): boolean {
  return a.index === b.index && a.target === b.target && a.trial === b.trial && a.phase === b.phase;
}
