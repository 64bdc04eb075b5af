/** Fields of a row that a dataset can give. */
export const ROW_FIELDS = [
  'id',
  'input',
  'input_fields',
  'expected',
  'rubric',
  'contexts',
  'output',
  'trajectory',
  'verdicts',
  'judge_replies',
  'tags',
  'difficulty',
  'cluster',
  'metadata',
  'tools',
  'checks',
] as const;
export type RowField = (typeof ROW_FIELDS)[number];

/** Checks that may stand beside the other columns, outside `checks`. */
export const CHECK_NAMES: readonly string[] = [
  'answer_match',
  'must_call',
  'must_not_call',
  'must_call_with',
  'max_steps',
  'max_tool_calls',
  'require_contains',
  'min_answer_score',
  'min_tool_score',
  'min_reasoning_score',
  'min_efficiency_score',
  'min_answer_correctness_score',
  'min_faithfulness_score',
];

const ALIASES: Partial<Record<RowField, readonly string[]>> = {
  input: ['query', 'question', 'text', 'task', 'prompt'],
  expected: ['ground_truth', 'label', 'answer', 'ideal', 'reference', 'expected_answer', 'expected_output'],
  contexts: ['retrieved_contexts'],
  output: ['response'],
};

const FIELD_OF_NAME: ReadonlyMap<string, RowField> = new Map(
  ROW_FIELDS.flatMap((field) => [field, ...(ALIASES[field] ?? [])].map((name) => [name, field] as const)),
);

/** The field that a column or key of this name feeds; blanks around it and case do not matter. */
export function fieldOfName(name: string): RowField | null {
  return FIELD_OF_NAME.get(comparableName(name)) ?? null;
}

export function comparableName(name: string): string {
  return name.trim().toLowerCase();
}
