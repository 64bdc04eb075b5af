import type { PriceTable } from '../core/cost/price-table.ts';
import { ConfigError } from '../core/errors.ts';
import type { JudgeConfig } from '../core/schemas/judge-config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Judge } from '../ports/judge.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { BedrockClientOptions } from './aws/bedrock-client.ts';
import { BedrockJudge } from './aws/bedrock-judge.ts';
import { OpenAiJudge } from './http/openai-judge.ts';
import { LexicalJudge } from './local/lexical-judge.ts';
import type { Pacers } from './pacing/pacers.ts';
import { type FormerVerdicts, RecordedJudge } from './recorded-judge.ts';

export interface JudgeDeps {
  readonly clock: Clock;
  /** 0 ≤ x < 1; only spreads retries, never a verdict. */
  readonly random: () => number;
  readonly prices: PriceTable;
  readonly secrets: Secrets;
  /** Who else keeps the pace of a side that throttles. @default nobody */
  readonly pacers?: Pacers;
  /** AWS_REGION, AWS_DEFAULT_REGION and AWS_BEARER_TOKEN_BEDROCK are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For stand-ins, and the size of the connection pool. */
  readonly bedrock?: Omit<BedrockClientOptions, 'region'>;
  /** Opens the run that a recorded judge replays (`from`). */
  readonly openFormerRun?: (runId: string) => FormerVerdicts;
}

/** The judge of a configuration. Sends nothing and loads no SDK before `check` or the first question. */
export function createJudge(config: JudgeConfig, deps: JudgeDeps): Judge {
  switch (config.type) {
    case 'bedrock': {
      // An empty variable is how CI systems pass on one that is not set.
      const region = config.region ?? (deps.env.AWS_REGION || deps.env.AWS_DEFAULT_REGION || undefined);
      const client = { ...deps.bedrock, ...(region === undefined ? {} : { region }) };
      const hasApiKey = (deps.env.AWS_BEARER_TOKEN_BEDROCK ?? '') !== '';
      return new BedrockJudge(config, { ...deps, client, hasApiKey });
    }
    case 'openai':
      return new OpenAiJudge(config, deps);
    case 'lexical':
      return new LexicalJudge();
    case 'recorded':
      return new RecordedJudge(config.from === undefined ? null : openFormer(config.from, deps));
  }
}

function openFormer(from: string, { openFormerRun }: JudgeDeps): FormerVerdicts {
  if (openFormerRun !== undefined) return openFormerRun(from);
  throw new ConfigError([
    {
      field: 'judge.from',
      message: `the judgements of run "${from}" cannot be replayed here`,
      fix: 'use `assay run --judge-from`',
    },
  ]);
}
