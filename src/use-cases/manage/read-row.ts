import type { RowResult } from '../../core/schemas/result.ts';
import type { IndexedResult } from '../../ports/row-index.ts';
import type { DeployedPorts } from '../deployed.ts';
import { NotFoundError, TooLargeError } from './errors.ts';
import { PartCache } from './part-cache.ts';

const PAGE = 500;
/** Results looked through for a row of which only the id is known. */
const MOST_LOOKED_AT = 20_000;

export interface ReadRowRequest {
  readonly runId: string;
  readonly rowId: string;
  /** Position of the row in the run; without it the row is looked for. */
  readonly index?: number;
  /** As JSON; texts of results beyond it are cut. */
  readonly maxBytes: number;
}

/** One result of the row with all that is known of it; `truncated` as in a list of results. */
export type WholeResult = RowResult & { readonly truncated: boolean };

/**
 * Every result of one row: its targets, trials and phases, texts and trajectories whole. Throws NotFoundError, and
 * TooLargeError for a row that stands behind the first 20,000 results when its index is not given.
 */
export async function readRow(
  request: ReadRowRequest,
  ports: Pick<DeployedPorts, 'registry' | 'rowIndex' | 'parts'>,
): Promise<{ items: readonly WholeResult[] }> {
  const run = await ports.registry.getRun(request.runId);
  if (run === null) throw new NotFoundError(`there is no run "${request.runId}"`);
  const parts = new PartCache(run, ports);
  const items: WholeResult[] = [];
  let left = request.maxBytes;
  for (const indexed of await findIndexed(request, ports)) {
    const whole = await parts.find(indexed);
    const item = whole === null ? withoutPart(indexed) : { ...whole, truncated: false };
    const bytes = Buffer.byteLength(JSON.stringify(item));
    items.push(bytes <= left ? item : withoutPart(indexed));
    left -= Math.min(bytes, left);
  }
  if (items.length === 0) throw new NotFoundError('there is no such row in this run');
  return { items };
}

async function findIndexed(
  { runId, rowId, index }: ReadRowRequest,
  { rowIndex }: Pick<DeployedPorts, 'rowIndex'>,
): Promise<readonly IndexedResult[]> {
  const found: IndexedResult[] = [];
  let cursor: string | null = null;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += PAGE) {
    const from = cursor !== null ? { cursor } : index !== undefined ? { fromIndex: index } : {};
    const page: Awaited<ReturnType<typeof rowIndex.list>> = await rowIndex.list(runId, {
      failedOnly: false,
      limit: PAGE,
      ...from,
    });
    found.push(...page.items.filter((item) => item.row_id === rowId));
    const last = page.items.at(-1);
    // Results of one row follow each other.
    const isBehind = last !== undefined && last.row_id !== rowId && (found.length > 0 || index !== undefined);
    if (isBehind || page.cursor === null) return found;
    cursor = page.cursor;
  }
  if (found.length > 0) return found;
  throw new TooLargeError(`row "${rowId}" is not among the first ${MOST_LOOKED_AT} results; say its index too`);
}

/** What the index holds of a result: texts cut, and no trajectory. */
function withoutPart({ part: _, ...indexed }: IndexedResult): WholeResult {
  return { ...indexed, trajectory: null, truncated: true };
}
