/** Words in model ids that tell who made a model, whatever serves it. */
const FAMILIES: readonly (readonly [family: string, words: RegExp])[] = [
  ['Anthropic', /anthropic|claude/],
  ['Amazon', /amazon|\bnova\b|titan/],
  ['Meta', /\bmeta\b|llama/],
  ['Mistral', /mistral|mixtral|pixtral|ministral|magistral/],
  ['OpenAI', /openai|\bgpt\b|\bo[1-9]\b/],
  ['Google', /google|gemini|gemma/],
  ['Alibaba', /qwen/],
  ['DeepSeek', /deepseek/],
  ['Moonshot', /moonshot|kimi/],
  ['Cohere', /cohere|command-r/],
];

/** Who made the model of this id; null when the id does not tell. */
export function modelFamily(model: string): string | null {
  const id = model.toLowerCase();
  return FAMILIES.find(([, words]) => words.test(id))?.[0] ?? null;
}

interface Named {
  readonly id: string;
  readonly model: string | null;
}

/**
 * Judges that rule on a model of their own kind. Models favour answers like their own (arXiv 2410.21819), so a judge of
 * another family is the better ruler; the same model as judge and target is said apart.
 */
export function selfJudging(judges: readonly string[], targets: readonly Named[]): string[] {
  return judges.flatMap((judge) =>
    targets.flatMap(({ id, model }) => {
      if (model === null) return [];
      if (model === judge) return [`judge ${judge} rules on itself (target ${id}): take a judge of another family`];
      const family = modelFamily(judge);
      if (family === null || family !== modelFamily(model)) return [];
      return [`judge ${judge} and target ${id} (${model}) are both by ${family}: models favour their own kind`];
    }),
  );
}
