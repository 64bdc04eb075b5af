/** A new webhook secret: 256 random bits, in characters that no shell, YAML file or header changes. */
export function makeWebhookSecret(randomBytes: (count: number) => Uint8Array): string {
  return `whsec_${Buffer.from(randomBytes(32)).toString('base64url')}`;
}
