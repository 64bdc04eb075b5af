import type { Row } from '../../core/schemas/row.ts';
import type { RunConfig } from '../../core/schemas/run.ts';
import type { RowBatchInput, RowItem } from '../../core/schemas/workflow.ts';
import type { DeployedPorts } from '../deployed.ts';

type Ports = Pick<DeployedPorts, 'runs'>;

/** Rows tried again lie apart; so many are read side by side. */
const READ_AT_ONCE = 20;

/** The rows of a batch: one piece of rows.jsonl, or, tried again, single lines of it. A bug or a lost file throws. */
export async function readBatchRows(batch: RowBatchInput, config: RunConfig, ports: Ports): Promise<readonly Row[]> {
  if (batch.phase !== 'confirm') return readRows(batch.items, config, ports);
  const rows: Row[] = [];
  for (let at = 0; at < batch.items.length; at += READ_AT_ONCE) {
    const items = batch.items.slice(at, at + READ_AT_ONCE);
    rows.push(...(await Promise.all(items.map((item) => readRows([item], config, ports)))).flat());
  }
  return rows;
}

/** Rows that follow each other. */
async function readRows(items: readonly RowItem[], config: RunConfig, ports: Ports): Promise<readonly Row[]> {
  const [first] = items;
  if (first === undefined) return [];
  const from = { offset: first.offset, count: items.length };
  const lines = await ports.runs(config.project).readLines(config.run_id, 'rows.jsonl', from);
  const rows = (lines ?? []).map((line) => JSON.parse(line) as Row);
  const matches = rows.length === items.length && rows.every((row, at) => row.index === items[at]?.index);
  if (!matches)
    throw new Error(`rows.jsonl of ${config.run_id} does not hold rows ${first.index}… at byte ${first.offset}`);
  return rows;
}
