import type { ResultStatus, RowResult } from '../schemas/result.ts';
import { NumberColumn } from './column.ts';
import { contentHash } from './content-hash.ts';
import { alone, replaces } from './duplicate.ts';
import type { Manifest } from './manifest.ts';
import type { Reduced } from './reduce.ts';
import { MISSING, ResultColumns, statusOf } from './result-columns.ts';
import { malformed, parseResultLine } from './result-line.ts';
import { Spending } from './spending.ts';

/**
 * Takes the result lines of a run, in any order and with repeats, and keeps the numbers of each: memory grows with the
 * manifest (some 150 bytes a result), not with the text of the lines.
 */
export class ResultFold {
  readonly manifest: Manifest;
  readonly columns: ResultColumns;
  readonly spending = new Spending();
  /** Row ids by index; undefined until a result names the row. */
  readonly rowIds: (string | undefined)[];
  /** Models that targets ran on, by target position, as results name them. */
  readonly targetModels = new Map<number, string>();
  /** Position in `warningLists` of the warnings of each result that has some. */
  readonly warningsOf: NumberColumn;
  readonly warningLists: (readonly string[])[] = [];
  readonly hashes: Uint32Array;
  readonly clusterOf: Int32Array;
  /** Position in `tagLists` of each row's tags. */
  readonly tagsOf: Int32Array;
  readonly tagLists: (readonly string[])[] = [[]];
  private readonly tagIndex = new Map<string, number>([['', 0]]);
  private readonly warningIndex = new Map<string, number>();
  private readonly clusterIndex = new Map<string, number>();
  private lines = 0;

  constructor(manifest: Manifest) {
    this.manifest = manifest;
    const slots = manifest.rows * manifest.targets.length * manifest.trials;
    this.columns = new ResultColumns(slots);
    this.warningsOf = new NumberColumn(slots);
    this.rowIds = new Array<string | undefined>(manifest.rows).fill(undefined);
    this.hashes = new Uint32Array(manifest.rows * 2);
    this.clusterOf = new Int32Array(manifest.rows).fill(-1);
    this.tagsOf = new Int32Array(manifest.rows);
  }

  /** Throws StorageError where the line cannot be counted. */
  add(line: string): void {
    this.lines += 1;
    const { result, target } = parseResultLine(line, this.lines, this.manifest);
    this.noteRow(result);
    if (result.phase === 'confirm') this.addConfirm(result, target);
    else this.addMain(result, target);
  }

  /** The row's identity where only the manifest's own file knows it: rows without any result. */
  nameRow(index: number, rowId: string, hash: string, tags: readonly string[], cluster: string | null): void {
    if (this.rowIds[index] !== undefined || index >= this.manifest.rows) return;
    this.rowIds[index] = rowId;
    this.hashes[index * 2] = Number.parseInt(hash.slice(0, 8), 16);
    this.hashes[index * 2 + 1] = Number.parseInt(hash.slice(8, 16), 16);
    if (tags.length > 0) this.tagsOf[index] = this.internTags(tags);
    if (cluster !== null) this.clusterOf[index] = intern(this.clusterIndex, cluster);
  }

  get isClustered(): boolean {
    return this.clusterIndex.size > 0;
  }

  get hasUnnamedRows(): boolean {
    return this.rowIds.includes(undefined);
  }

  /** Result of a slot as rows are reduced from it. */
  trial(slot: number): Reduced {
    const status: ResultStatus = statusOf(this.columns.status[slot] ?? MISSING);
    if (status === 'scored')
      return { status, passed: this.columns.passed[slot] === 1, score: this.columns.score.get(slot) };
    return { status, passed: false, score: status === 'target_error' ? 0 : null };
  }

  private noteRow(result: RowResult): void {
    const known = this.rowIds[result.index];
    if (known === result.row_id) return;
    if (known !== undefined) {
      throw malformed(this.lines, `row ${result.index} is "${result.row_id}" here and "${known}" in another line`);
    }
    this.nameRow(result.index, result.row_id, contentHash(result.input, result.expected), result.tags, result.cluster);
  }

  private addMain(result: RowResult, target: number): void {
    const { targets, trials } = this.manifest;
    const slot = (result.index * targets.length + target) * trials + result.trial;
    this.noteTarget(result, target);
    const { columns } = this;
    columns.noteMetrics(result);
    const isFirst = columns.status[slot] === MISSING;
    if (
      !isFirst &&
      !replaces(
        columns,
        slot,
        alone(result, (slots) => new ResultColumns(slots)),
      )
    )
      return;
    columns.write(slot, result);
    this.warningsOf.set(slot, this.internWarnings(result.warnings));
  }

  private addConfirm(result: RowResult, target: number): void {
    this.noteTarget(result, target);
    const key = `${String(result.index).padStart(10, '0')}/${target}/${String(result.trial).padStart(4, '0')}`;
    const known = this.spending.confirm.get(key)?.result;
    if (known === undefined || worseFirst(result) < worseFirst(known))
      this.spending.confirm.set(key, { result, target });
  }

  private noteTarget(result: RowResult, target: number): void {
    this.spending.note(result, target);
    const model = result.target_model;
    if (typeof model !== 'string') return;
    const known = this.targetModels.get(target);
    if (known === undefined || model < known) this.targetModels.set(target, model);
  }

  /** Position in `warningLists` of the kinds of a result's warnings, the words before the colon; null for none. */
  private internWarnings(warnings: readonly string[]): number | null {
    if (!Array.isArray(warnings) || warnings.length === 0) return null;
    const kinds = [...new Set(warnings.map((warning) => warning.split(':', 1)[0] ?? warning))].sort();
    const position = intern(this.warningIndex, kinds.join('\u0000'));
    this.warningLists[position] = kinds;
    return position;
  }

  private internTags(tags: readonly string[]): number {
    const key = tags.join('\u0000');
    const known = this.tagIndex.get(key);
    if (known !== undefined) return known;
    this.tagIndex.set(key, this.tagLists.length);
    return this.tagLists.push([...new Set(tags)]) - 1;
  }
}

function intern(index: Map<string, number>, name: string): number {
  const known = index.get(name);
  if (known !== undefined) return known;
  index.set(name, index.size);
  return index.size - 1;
}

/** An order of repeats that does not depend on which came first: what ran beats what did not, and a failure stands. */
function worseFirst(result: RowResult): string {
  const rank = { scored: result.passed ? 1 : 0, target_error: 0, judge_error: 2, skipped: 3 }[result.status];
  return `${rank}${JSON.stringify(result)}`;
}
