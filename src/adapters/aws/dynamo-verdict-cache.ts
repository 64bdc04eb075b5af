import type { Clock } from '../../ports/clock.ts';
import type { VerdictCache } from '../../ports/verdict-cache.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { packJson, unpackJson } from './packed-json.ts';
import { keys } from './table-keys.ts';

/** A model behind one name changes at times: what was judged a month ago is judged again. */
const KEPT_DAYS = 30;

/** Verdicts of one project, an item each in the one table. */
export class DynamoVerdictCache implements VerdictCache {
  private readonly table: DynamoTable;
  private readonly clock: Pick<Clock, 'now'>;
  private readonly project: string;

  constructor(table: DynamoTable, clock: Pick<Clock, 'now'>, project: string) {
    this.table = table;
    this.clock = clock;
    this.project = project;
  }

  async get(key: string): Promise<unknown> {
    const item = await this.table.get(keys.verdict(this.project, key));
    // DynamoDB deletes an expired item within days, not at once.
    if (item === null || typeof item.ttl !== 'number' || item.ttl <= this.seconds()) return null;
    try {
      return unpackJson(item.body);
    } catch {
      return null; // damaged: judged again and replaced
    }
  }

  async put(key: string, entry: object): Promise<void> {
    const body = packJson(`verdict ${key}`, entry);
    await this.table.put({ ...keys.verdict(this.project, key), body, ttl: this.seconds() + KEPT_DAYS * 86_400 });
  }

  private seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }
}
