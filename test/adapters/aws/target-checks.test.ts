import { describe, expect, it } from 'vitest';
import { createTarget, type TargetDeps } from '../../../src/adapters/build-target.ts';
import { createOutboundDispatcher } from '../../../src/adapters/http/outbound-guard.ts';
import { TargetConfigSchema } from '../../../src/core/schemas/target-config.ts';
import { InstantClock } from '../../contracts/instant-clock.ts';

const ACCOUNT = '111122223333';
const TARGETS = {
  bedrock: { type: 'bedrock', model: 'us.amazon.nova-lite-v1:0' },
  lambda: { type: 'lambda', function_arn: `arn:aws:lambda:eu-west-1:${ACCOUNT}:function:bot` },
  agentcore: { type: 'agentcore', agent_runtime_arn: `arn:aws:bedrock-agentcore:eu-west-1:${ACCOUNT}:runtime/bot-a1` },
  'bedrock-agent': { type: 'bedrock-agent', agent_id: 'A', agent_alias_id: 'B' },
  'knowledge-base': { type: 'knowledge-base', knowledge_base_id: 'K', model: 'm' },
};

/** The check of a target on a machine that AWS has never been set up on. */
async function check(fields: object, env: Record<string, string> = {}): Promise<string> {
  const saved = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(process.env, env, {
    AWS_CONFIG_FILE: '/nonexistent',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
    AWS_EC2_METADATA_DISABLED: 'true',
  });
  const outbound = createOutboundDispatcher({ loopback: false, allowedHosts: [], allowedCidrs: [], httpsOnly: false });
  const deps: TargetDeps = {
    outbound,
    clock: new InstantClock(),
    random: () => 0,
    secrets: new Map(),
    where: 'targets.0',
    env,
  };
  const target = createTarget({ ...TargetConfigSchema.parse(fields), id: 'one' }, deps);
  try {
    return await target.check().then(
      () => 'fine',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  } finally {
    await target.close();
    await outbound.close();
    process.env = saved;
  }
}
const region = { AWS_REGION: 'eu-west-1' };
const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'none' };

describe('the check before a run', () => {
  it.each(['bedrock', 'bedrock-agent', 'knowledge-base'] as const)('of %s names a missing Region', async (type) => {
    expect(await check(TARGETS[type], keys)).toMatch(
      /^ConfigError: field targets\.0\.region: no AWS region.*AWS_REGION/,
    );
    expect(await check({ ...TARGETS[type], region: 'eu-west-1' }, keys)).toBe('fine');
  });

  it.each(['lambda', 'agentcore'] as const)('of %s needs no Region: the ARN has one', async (type) => {
    expect(await check(TARGETS[type], keys)).toBe('fine');
  });

  it.each(Object.values(TARGETS))('of $type names missing credentials and how to give them', async (target) => {
    expect(await check(target, region)).toMatch(/^ConfigError: field targets\.0: no AWS credentials.*AWS_PROFILE/);
  });

  it.each([
    { type: 'bedrock', passes: true },
    { type: 'bedrock-agent', passes: false }, // such keys call models only
    { type: 'lambda', passes: false },
  ] as const)('of $type with a Bedrock API key alone passes: $passes', async ({ type, passes }) => {
    const said = await check(TARGETS[type], { ...region, AWS_BEARER_TOKEN_BEDROCK: 'key' });
    expect(said === 'fine').toBe(passes);
  });
});
