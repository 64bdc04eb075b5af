/** What of a question stands in the user text, each between fences of its own. */
export type PromptPart = 'input' | 'expected' | 'rubric' | 'contexts' | 'steps' | 'answer';

/** A judge prompt as data. Any change of wording is a new version: it is part of the judge hash. */
export interface PromptSpec {
  readonly id: string;
  readonly version: number;
  readonly system: string;
  /** In the order shown. A part that the question does not have is left out. */
  readonly user: readonly { readonly part: PromptPart; readonly heading: string }[];
}
