import type { WorkFolder } from './work-folder.ts';

/** What DESIGN asks for, beside what came out. */
export interface Aim {
  readonly what: string;
  readonly aim: string;
  readonly measured: string;
  readonly met: boolean;
}

export interface SectionResult {
  /** Markdown below the section's heading. */
  readonly text: string;
  readonly aims: readonly Aim[];
}

export interface SectionContext {
  readonly work: WorkFolder;
  /** Also what takes more than a few minutes. */
  readonly full: boolean;
  /** Says what is being measured. */
  progress(text: string): void;
}

export type Section = (context: SectionContext) => Promise<SectionResult>;
