import type { JsonObject } from '../json.ts';

/** Another tool's file as an eval of ours, not checked yet. */
export interface ImportedEval {
  /** As a person would write it in YAML. */
  readonly value: JsonObject;
  /** What was left out or read in a way that one might not expect; shown with the run. */
  readonly warnings: readonly string[];
}
