import type { RunConfig } from '../../core/schemas/run.ts';
import type { RunSummary } from '../../core/schemas/summary.ts';
import type { RunNotes } from '../collect/run-notes.ts';

/** One thing to look at, in the order in which a person would ask. */
export interface Finding {
  readonly tone: 'bad' | 'warn' | 'good';
  readonly title: string;
  readonly detail: string | null;
  /** Rows to open first. */
  readonly rowIds: readonly string[];
  /** Place on the page, and what stands there. */
  readonly link: { readonly href: string; readonly words: string } | null;
  /** The higher, the sooner it is read. */
  readonly weight: number;
}

export interface FindingsInput {
  readonly summary: RunSummary;
  readonly config: RunConfig;
  readonly notes: RunNotes;
  readonly baseline: RunSummary | null;
}
