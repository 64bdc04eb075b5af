import { SecretsManagerSecrets } from '../../src/adapters/aws/secrets-manager-secrets.ts';
import { createEnvironment } from '../../src/adapters/build-environment.ts';
import { ConfigError } from '../../src/core/errors.ts';
import type { OpenEnvironment } from '../../src/ports/environment.ts';
import type { Secrets } from '../../src/ports/secrets.ts';
import type { Stores } from './adapters.ts';

export interface EnvironmentEnv {
  readonly SECRETS_PREFIX: string;
  readonly ALLOW_LOOPBACK?: 'true' | 'false' | undefined;
}

/** Targets and judges of a project's eval, its secrets from Secrets Manager; kept for the Lambda's life, a project each. */
export function openEnvironmentOf(env: EnvironmentEnv, { clock, prices, secrets, paces }: Stores): OpenEnvironment {
  const secretsOf = new Map<string, Secrets>();
  return async (project, config, { concurrency, isThrottled = false, onFirstThrottle }) => {
    const openai = config.judges.findIndex((judge) => judge.type === 'openai');
    if (openai >= 0 && env.ALLOW_LOOPBACK !== 'true') {
      throw new ConfigError([
        {
          field: 'judge',
          message: 'not yet supported: judges of type openai in a deployed app',
          fix: 'use a Bedrock model',
        },
      ]);
    }
    const ofProject =
      secretsOf.get(project) ?? new SecretsManagerSecrets({ project, secrets, clock, prefix: env.SECRETS_PREFIX });
    secretsOf.set(project, ofProject);
    return createEnvironment(config, {
      secrets: ofProject,
      prices,
      loopback: env.ALLOW_LOOPBACK === 'true',
      concurrency,
      env: process.env,
      pacing: { store: paces, scope: project, isExpected: isThrottled, onFirstThrottle },
    });
  };
}
