/** Bytes of UTF-8 that make a token: close to what tokenizers make of English prose, high for code, low for other scripts. */
const BYTES_PER_TOKEN = 4;
/** What a request costs beside its text: roles, fences, the schema's frame. */
const REQUEST_TOKENS = 8;

/** Tokens of a text, estimated: one for 4 bytes of UTF-8, so that a letter of another script counts more than one of ours. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text, 'utf8') / BYTES_PER_TOKEN);
}

/** The same for a request made of several texts. */
export function estimateRequestTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), REQUEST_TOKENS);
}
