import { type ApiToken, ApiTokenSchema } from '../../core/schemas/api-token.ts';
import { type BaselinePin, BaselinePinSchema } from '../../core/schemas/baseline-pin.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { packJson, readStored } from './packed-json.ts';
import type { Key } from './table-keys.ts';
import { keys, TOKENS } from './table-keys.ts';

/** Tokens of the API and promotions of baselines: who may do what, and who did. */
export class DynamoGovernance {
  private readonly table: DynamoTable;

  constructor(table: DynamoTable) {
    this.table = table;
  }

  async createToken(token: ApiToken): Promise<boolean> {
    return (await this.table.putIf(tokenItem(token), { expression: 'attribute_not_exists(pk)' })).written;
  }

  async putToken(token: ApiToken): Promise<void> {
    await this.table.put(tokenItem(token));
  }

  async getToken(id: string): Promise<ApiToken | null> {
    const item = await this.table.get(keys.token(id));
    return item === null ? null : readStored(ApiTokenSchema, item);
  }

  async listTokens(): Promise<readonly ApiToken[]> {
    const tokens = (await this.table.query({ partition: TOKENS })).map((item) => readStored(ApiTokenSchema, item));
    return tokens.sort(byCreation);
  }

  async addBaselinePin(pin: BaselinePin): Promise<void> {
    const key = keys.baselinePin(pin.project, pin.eval, pin.promoted_at, pin.run_id);
    await this.table.put({ ...key, body: packJson(`baseline of eval "${pin.eval}"`, pin) });
  }

  async listBaselinePins(project: string, evalName: string, limit: number): Promise<readonly BaselinePin[]> {
    const partition = keys.baselinePins(project, evalName);
    const items = await this.table.query({ partition, descending: true, limit });
    return items.map((item) => readStored(BaselinePinSchema, item));
  }
}

export function byCreation(a: ApiToken, b: ApiToken): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function tokenItem(token: ApiToken): Key & Item {
  return { ...keys.token(token.id), body: packJson(`token "${token.name}"`, token) };
}
