import * as z from 'zod';
import { contentHash } from '../aggregate/content-hash.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, sha256Hex } from '../json.ts';
import type { Outcome } from '../schemas/result.ts';
import type { Row } from '../schemas/row.ts';

const CaseSchema = z.looseObject({
  /** qa, classification, instruction: a hash over the case's variables. */
  key: z.string().optional(),
  /** rag, agent. */
  case_id: z.string().optional(),
  passed: z.boolean(),
  score: z.number().min(0).max(1).optional(),
  composite_score: z.number().min(0).max(1).optional(),
});
const BaselineSchema = z.looseObject({
  run_id: z.string().min(1),
  ran_at: z.string().optional(),
  cases: z.array(CaseSchema),
});

export interface SuperevalBaseline {
  readonly runId: string;
  readonly ranAt: string | null;
  /** SHA-256 of the file's RFC 8785 JSON: which baseline it was. */
  readonly hash: string;
  readonly cases: readonly z.infer<typeof CaseSchema>[];
}

/** `baseline.json` as supereval writes it; else what is wrong with it. */
export function readSuperevalBaseline(value: JsonValue): SuperevalBaseline | { readonly fault: string } {
  const parsed = BaselineSchema.safeParse(value);
  if (!parsed.success) return { fault: z.prettifyError(parsed.error).replace(/\s+/g, ' ').slice(0, 200) };
  const { run_id, ran_at, cases } = parsed.data;
  return { runId: run_id, ranAt: ran_at ?? null, hash: sha256Hex(canonicalJson(value)), cases };
}

/**
 * The cases of a baseline as outcomes of this run's rows. What was expected then is not in the file, so a row is taken
 * for the same when its id or its input is. Cases that no row matches come last, as removed rows.
 */
export class SuperevalOutcomes {
  private readonly byKey = new Map<string, SuperevalBaseline['cases'][number]>();
  private readonly left = new Set<SuperevalBaseline['cases'][number]>();

  constructor({ cases }: SuperevalBaseline) {
    for (const one of cases) {
      const key = one.case_id ?? one.key;
      if (key !== undefined) this.byKey.set(key, one);
      this.left.add(one);
    }
  }

  /** The row's outcome in the baseline; null when it was not there. */
  of(row: Row): Outcome | null {
    const found = this.byKey.get(row.id) ?? this.byKey.get(superevalKey(row));
    if (found === undefined) return null;
    this.left.delete(found);
    return outcome(row.id, contentHash(row.input, row.expected), found);
  }

  removed(): Outcome[] {
    return [...this.left].map((one, index) => outcome(one.case_id ?? one.key ?? `case ${index}`, '', one));
  }
}

function outcome(
  rowId: string,
  content: string,
  { passed, score, composite_score }: SuperevalBaseline['cases'][number],
): Outcome {
  return { row_id: rowId, content, status: 'scored', passed, score: score ?? composite_score ?? (passed ? 1 : 0) };
}

/** supereval's identity of a case: 16 hex of SHA-256 over Python's `json.dumps(vars, sort_keys=True, ensure_ascii=False)`. */
export function superevalKey(row: Pick<Row, 'input' | 'input_fields'>): string {
  return sha256Hex(pythonJson(variablesOf(row))).slice(0, 16);
}

function variablesOf({ input, input_fields }: Pick<Row, 'input' | 'input_fields'>): JsonObject {
  const fields = input_fields ?? (isJsonObject(input) ? input : {});
  const { instruction, document, query, text } = fields;
  if (query !== undefined) return { query };
  if (instruction === undefined) return text === undefined ? {} : { text };
  // An empty document is left out of the variables.
  return document === null || document === undefined || document === '' ? { instruction } : { instruction, document };
}

function pythonJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${pythonJson(value[key] ?? null)}`).join(', ')}}`;
}
