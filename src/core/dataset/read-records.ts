import { bindCsv } from './bind-csv.ts';
import { bindJson } from './bind-json.ts';
import { bindNormalised } from './bind-rows.ts';
import type { ColumnPlan } from './column-plan.ts';
import { CsvParser } from './csv-parser.ts';
import { decodeUtf8 } from './decode-utf8.ts';
import type { FaultList } from './fault-list.ts';
import { type DatasetFormat, sniffFormat } from './format.ts';
import { JsonParser } from './json-parser.ts';
import { JsonlParser } from './jsonl-parser.ts';
import type { RawRow } from './raw-row.ts';
import type { CsvRecord, JsonRecord, RecordParser } from './record-parser.ts';

/** Bytes in, raw rows out: a batch for each piece of text. Faults of syntax go to `faults`. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  format: DatasetFormat | null,
  plan: ColumnPlan,
  faults: FaultList,
): AsyncGenerator<RawRow[]> {
  let pipe: RawRowPipe | null = format === null ? null : openPipe(format, plan, faults);
  let head = '';
  for await (const text of decodeUtf8(chunks, faults)) {
    head += text;
    if (pipe === null && head.trim() === '') continue;
    pipe ??= openPipe(sniffFormat(head), plan, faults);
    yield pipe.push(head);
    head = '';
  }
  pipe ??= openPipe('csv', plan, faults);
  yield [...pipe.push(head), ...pipe.end()];
}

interface RawRowPipe {
  push(text: string): RawRow[];
  end(): RawRow[];
}

function openPipe(format: DatasetFormat, plan: ColumnPlan, faults: FaultList): RawRowPipe {
  if (format === 'csv') return csvPipe(new CsvParser(faults, null), plan, faults);
  if (format === 'tsv') return csvPipe(new CsvParser(faults, '\t'), plan, faults);
  if (format === 'rows') return jsonPipe(new JsonlParser(faults), (record) => bindNormalised(record, plan, faults));
  const parser = format === 'json' ? new JsonParser(faults) : new JsonlParser(faults);
  return jsonPipe(parser, (record) => bindJson(record, plan, faults));
}

function csvPipe(parser: RecordParser<CsvRecord>, plan: ColumnPlan, faults: FaultList): RawRowPipe {
  let bind: ((record: CsvRecord) => RawRow | null) | null = null;
  const bindAll = (records: CsvRecord[]) =>
    records.flatMap((record) => {
      if (bind !== null) return bind(record) ?? [];
      bind = bindCsv(record, plan, faults);
      return [];
    });
  return { push: (text) => bindAll(parser.push(text)), end: () => bindAll(parser.end()) };
}

function jsonPipe(parser: RecordParser<JsonRecord>, bind: (record: JsonRecord) => RawRow | null): RawRowPipe {
  const bindAll = (records: JsonRecord[]) => records.flatMap((record) => bind(record) ?? []);
  return { push: (text) => bindAll(parser.push(text)), end: () => bindAll(parser.end()) };
}
