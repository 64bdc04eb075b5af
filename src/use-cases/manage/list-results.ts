import type { RunRecord } from '../../core/schemas/registry.ts';
import type { RowResult } from '../../core/schemas/result.ts';
import type { IndexedResult } from '../../ports/row-index.ts';
import type { DeployedPorts } from '../deployed.ts';
import { NotFoundError } from './errors.ts';
import { PartCache } from './part-cache.ts';

export interface ListResultsRequest {
  readonly runId: string;
  /** Only results that did not pass. */
  readonly failedOnly: boolean;
  readonly limit: number;
  readonly cursor?: string;
  /** Texts as the index keeps them: long ones are cut, and no part is read. */
  readonly short?: boolean;
  /** A page ends early rather than hold more than this, as JSON. */
  readonly maxBytes: number;
}

/** A result as a reader of the API sees it; the full score objects are under `details`. */
export interface ResultItem {
  readonly row_id: string;
  readonly index: number;
  readonly target: string;
  readonly target_model: string | null;
  readonly trial: number;
  readonly phase: RowResult['phase'];
  readonly status: RowResult['status'];
  readonly cause: string | null;
  readonly input: RowResult['input'];
  readonly expected: RowResult['expected'];
  readonly output: string | null;
  readonly contexts: readonly string[] | null;
  /** Null: not scored; why stands under `details`. */
  readonly scores: Readonly<Record<string, number | null>>;
  readonly reasoning: Readonly<Record<string, string>>;
  readonly score: number | null;
  readonly passed: boolean;
  readonly latency_ms: number | null;
  readonly attempts: number;
  readonly cost_target_usd: number | null;
  readonly cost_judge_usd: number | null;
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly error: string | null;
  readonly details: RowResult['scores'];
  readonly tags: readonly string[];
  readonly difficulty: string | null;
  readonly cluster: string | null;
  readonly metadata: RowResult['metadata'];
  readonly failed_checks: readonly string[];
  readonly warnings: readonly string[];
  /** Texts are cut: the part that holds them whole is gone, or they alone are more than a page may hold. */
  readonly truncated: boolean;
}

type Ports = Pick<DeployedPorts, 'registry' | 'rowIndex' | 'parts'>;

/** A page of a run's results in row order, texts whole. Throws NotFoundError, InvalidCursorError. */
export async function listResults(
  request: ListResultsRequest,
  ports: Ports,
): Promise<{ items: readonly ResultItem[]; cursor: string | null }> {
  const run = await ports.registry.getRun(request.runId);
  if (run === null) throw new NotFoundError(`there is no run "${request.runId}"`);
  const page = await listIndexed(request, request.limit, ports);
  const items = await fillPage(page.items, run, request, ports);
  if (items.length === page.items.length) return { items, cursor: page.cursor };
  // The page ended early: its cursor is the one of a page that long.
  const { cursor } = await listIndexed(request, items.length, ports);
  return { items, cursor };
}

function listIndexed({ runId, failedOnly, cursor }: ListResultsRequest, limit: number, { rowIndex }: Ports) {
  return rowIndex.list(runId, { failedOnly, limit, ...(cursor === undefined ? {} : { cursor }) });
}

/** As many of the results as fit, and one at least. */
async function fillPage(
  indexed: readonly IndexedResult[],
  run: RunRecord,
  { maxBytes, short = false }: ListResultsRequest,
  ports: Ports,
): Promise<ResultItem[]> {
  const parts = new PartCache(run, ports);
  const items: ResultItem[] = [];
  let bytes = 0;
  for (const result of indexed) {
    const whole = result.truncated && !short ? await parts.find(result) : result;
    let item = toItem(whole ?? result, whole === null || (short && result.truncated));
    if (items.length === 0 && sizeOf(item) > maxBytes) item = toItem(result, true);
    bytes += sizeOf(item);
    if (items.length > 0 && bytes > maxBytes) break;
    items.push(item);
  }
  return items;
}

function toItem(result: RowResult | IndexedResult, truncated: boolean): ResultItem {
  const scores = Object.entries(result.scores);
  return {
    row_id: result.row_id,
    index: result.index,
    target: result.target,
    target_model: result.target_model,
    trial: result.trial,
    phase: result.phase,
    status: result.status,
    cause: result.cause,
    input: result.input,
    expected: result.expected,
    output: result.output,
    contexts: result.contexts,
    scores: Object.fromEntries(scores.map(([name, { value }]) => [name, value])),
    reasoning: Object.fromEntries(scores.map(([name, { reason }]) => [name, reason])),
    score: result.score,
    passed: result.passed,
    latency_ms: result.latency_ms,
    attempts: result.attempts,
    cost_target_usd: result.cost_target_usd,
    cost_judge_usd: result.cost_judge_usd,
    tokens_in: result.tokens_in,
    tokens_out: result.tokens_out,
    error: result.error,
    details: result.scores,
    tags: result.tags,
    difficulty: result.difficulty,
    cluster: result.cluster,
    metadata: result.metadata,
    failed_checks: result.failed_checks,
    warnings: result.warnings,
    truncated,
  };
}

function sizeOf(item: ResultItem): number {
  return Buffer.byteLength(JSON.stringify(item));
}
