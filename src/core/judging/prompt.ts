import type { JsonObject } from '../json.ts';

/** A judge call as text for a model. */
export interface JudgePrompt {
  /** Prompt id and version, such as `metrics@1`; part of the judge hash. */
  readonly version: string;
  readonly system: string;
  readonly user: string;
  /** Random to the answer's author, derived from run, row, target, trial and call: fences and free-text verdicts carry it. */
  readonly nonce: string;
  /** Name of the forced tool or schema. */
  readonly schemaName: string;
  /** JSON Schema of the verdict: plain types, enums, required, additionalProperties false. Byte-stable for one set of asks. */
  readonly schema: JsonObject;
}
