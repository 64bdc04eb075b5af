import type { BedrockClientOptions } from '../adapters/aws/bedrock-client.ts';
import { ConfigError } from '../core/errors.ts';
import type { EvalConfig } from '../core/schemas/eval.ts';

/** What answers as Bedrock under `assay dev`. */
export type DevBedrock =
  /** Nothing: an eval that needs it is refused before its first row. */
  | { readonly kind: 'none' }
  /** AWS itself, with the credentials of this machine. */
  | { readonly kind: 'aws' }
  /** A Converse endpoint: the bridge to an OpenAI-compatible server, or one of the user's own. */
  | { readonly kind: 'endpoint'; readonly url: string };

/** Throws ConfigError when the eval asks a Bedrock judge and there is none here. */
export function checkJudges(config: EvalConfig, bedrock: DevBedrock): void {
  if (bedrock.kind !== 'none' || config.judges.every((judge) => judge.type !== 'bedrock')) return;
  throw new ConfigError([
    {
      field: 'judge',
      message: 'there is no Bedrock on this machine',
      fix: 'set ASSAY_JUDGE_URL (and ASSAY_JUDGE_MODEL) to an OpenAI-compatible server such as Ollama, start `assay dev --bedrock` to ask AWS, or use judge: {type: lexical}',
    },
  ]);
}

export function bedrockClientOptions(bedrock: DevBedrock): Omit<BedrockClientOptions, 'region'> | undefined {
  if (bedrock.kind !== 'endpoint') return undefined;
  return { endpoint: bedrock.url, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}
