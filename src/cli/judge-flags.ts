import { schemaFaults } from '../core/config/schema-faults.ts';
import { ConfigError } from '../core/errors.ts';
import { type JudgeConfig, JudgeConfigSchema } from '../core/schemas/judge-config.ts';
import type { ParsedOptions } from './options.ts';

export const JUDGE_OPTIONS = {
  judge: { type: 'string' },
  'judge-model': { type: 'string' },
  'judge-url': { type: 'string' },
  'judge-from': { type: 'string' },
} as const;

const DEFAULT_BEDROCK_MODEL = 'us.amazon.nova-2-lite-v1:0';

/**
 * The judge that flags ask for, over the eval's own; undefined when they say nothing. `--judge-url` (or ASSAY_JUDGE_URL
 * with `--judge openai`) means an OpenAI-compatible server, `--judge-from` the verdicts of a former run.
 */
export function judgesFromFlags(
  options: ParsedOptions,
  env: NodeJS.ProcessEnv = process.env,
): readonly JudgeConfig[] | undefined {
  const type = options.text('judge');
  const url = options.text('judge-url');
  const from = options.text('judge-from');
  const model = options.text('judge-model');
  if ((url !== undefined && from !== undefined) || (from !== undefined && type !== undefined && type !== 'recorded')) {
    throw new ConfigError([
      { message: '--judge-from replays verdicts and takes no other judge flag', fix: 'keep one of them' },
    ]);
  }
  if (from !== undefined) return [judge({ type: 'recorded', from })];
  if (url !== undefined || type === 'openai') {
    const server = url ?? env.ASSAY_JUDGE_URL;
    if (server === undefined)
      throw new ConfigError([{ message: '--judge openai needs a server', fix: 'add --judge-url http://…/v1' }]);
    const chosen = model ?? env.ASSAY_JUDGE_MODEL;
    if (chosen === undefined)
      throw new ConfigError([{ message: '--judge-url needs a model', fix: 'add --judge-model <id>' }]);
    return [
      judge({
        type: 'openai',
        url: server,
        model: chosen,
        ...(env.ASSAY_JUDGE_API_KEY ? { api_key: '{{secrets.ASSAY_JUDGE_API_KEY}}' } : {}),
      }),
    ];
  }
  if (type === undefined && model === undefined) return undefined;
  if (type === 'lexical' || type === 'recorded') return [judge({ type })];
  return [judge({ type: type ?? 'bedrock', model: model ?? DEFAULT_BEDROCK_MODEL })];
}

function judge(raw: object): JudgeConfig {
  const parsed = JudgeConfigSchema.safeParse(raw, { reportInput: true });
  if (parsed.success) return parsed.data;
  const faults = schemaFaults(parsed.error, { knownKeys: () => [] });
  throw new ConfigError(
    faults.map((fault) => ({
      ...fault,
      field: `--judge ${fault.field ?? ''}`.trim(),
      fix: 'one of bedrock, openai, lexical, recorded',
    })),
  );
}
