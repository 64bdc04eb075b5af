/** Claude's versions as their ids have them: `claude-haiku-4-5-2025…`, `claude-3-5-sonnet-…`, `claude-opus-5`. */
const CLAUDE = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/**
 * How many tokens of a model's quota one token of its output takes in Bedrock. It plays no part in the price, and is 1 for
 * models that are not listed (Nova, Qwen, gpt-oss) or whose id does not tell the model, as an application profile's.
 */
export function burndownOf(model: string): number {
  if (/gpt-5[.-]6(?!\d)/.test(model)) return 10;
  if (!model.includes('claude')) return 1;
  const [, major, minor = '0'] = CLAUDE.exec(model) ?? [];
  if (major === undefined) return 5;
  if (Number(major) >= 5) return 10;
  return Number(major) === 4 && Number(minor) >= 8 ? 15 : 5;
}
