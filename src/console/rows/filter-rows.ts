import type { JsonValue } from '../../core/json.ts';
import type { ResultItem } from '../api/types.ts';
import type { RowsView } from '../routing/route.ts';

/** One row of a run with its results, in the order they came. */
export interface RowGroup {
  readonly rowId: string;
  readonly index: number;
  readonly results: readonly ResultItem[];
}

/** Results of one row follow each other in a run's list: one group a row. */
export function groupRows(results: readonly ResultItem[]): RowGroup[] {
  const groups: { rowId: string; index: number; results: ResultItem[] }[] = [];
  for (const result of results) {
    const last = groups.at(-1);
    if (last !== undefined && last.index === result.index && last.rowId === result.row_id) last.results.push(result);
    else groups.push({ rowId: result.row_id, index: result.index, results: [result] });
  }
  return groups;
}

/** Rows of which a result has the status and holds every word of the search, in any of its texts; case is no matter. */
export function filterRows(
  groups: readonly RowGroup[],
  { status, search }: Pick<RowsView, 'status' | 'search'>,
): RowGroup[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return groups.filter(({ results }) =>
    results.some(
      (result) =>
        (status === '' || result.status === status) &&
        (words.length === 0 || words.every((word) => searchTextOf(result).includes(word))),
    ),
  );
}

/** A value of a dataset as people read it: text as it is, anything else as JSON. */
export function valueText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

const searchTexts = new WeakMap<ResultItem, string>();

function searchTextOf(result: ResultItem): string {
  const known = searchTexts.get(result);
  if (known !== undefined) return known;
  const text = [
    result.row_id,
    result.target,
    result.cause ?? '',
    valueText(result.input),
    valueText(result.expected ?? undefined),
    result.output ?? '',
    result.error ?? '',
    ...result.tags,
    ...result.failed_checks,
    ...Object.values(result.reasoning),
  ]
    .join('\n')
    .toLowerCase();
  searchTexts.set(result, text);
  return text;
}
