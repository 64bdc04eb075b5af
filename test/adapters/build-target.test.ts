import { describe, expect, it } from 'vitest';
import { createTarget, type TargetDeps } from '../../src/adapters/build-target.ts';
import { createOutboundDispatcher } from '../../src/adapters/http/outbound-guard.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { type TargetConfig, TargetConfigSchema } from '../../src/core/schemas/target-config.ts';

const deps: TargetDeps = {
  outbound: createOutboundDispatcher({ loopback: false, allowedHosts: [], allowedCidrs: [], httpsOnly: false }),
  clock: systemClock,
  random: () => 0,
  secrets: new Map(),
  where: 'targets.1',
};
const config = (fields: object): TargetConfig => ({ ...TargetConfigSchema.parse(fields), id: 'one' });

describe('createTarget', () => {
  const LAMBDA = 'arn:aws:lambda:eu-west-1:111122223333:function:bot';
  const RUNTIME = 'arn:aws:bedrock-agentcore:eu-west-1:111122223333:runtime/bot-a1b2c3d4e5';

  it.each([
    { fields: { url: 'https://api.example.com/' }, type: 'http', model: null },
    { fields: { type: 'recorded' }, type: 'recorded', model: null },
    {
      fields: { type: 'bedrock', model: 'us.amazon.nova-lite-v1:0' },
      type: 'bedrock',
      model: 'us.amazon.nova-lite-v1:0',
    },
    { fields: { type: 'lambda', function_arn: LAMBDA }, type: 'lambda', model: null },
    { fields: { type: 'agentcore', agent_runtime_arn: RUNTIME }, type: 'agentcore', model: null },
    { fields: { type: 'bedrock-agent', agent_id: 'A', agent_alias_id: 'B' }, type: 'bedrock-agent', model: null },
    { fields: { type: 'knowledge-base', knowledge_base_id: 'K', model: 'm' }, type: 'knowledge-base', model: 'm' },
  ])('builds $type', ({ fields, type, model }) => {
    expect(createTarget(config(fields), deps)).toMatchObject({ id: 'one', type, model });
  });

  it.each([
    {
      name: 'an ARN of another service',
      fields: { type: 'lambda', function_arn: RUNTIME },
      message: `field targets.1.function_arn: "${RUNTIME}" is no ARN of lambda (such as arn:aws:lambda:`,
    },
    {
      name: 'a function without its account',
      fields: { type: 'lambda', function_arn: 'bot' },
      message: 'field targets.1.function_arn: "bot" is no ARN of lambda',
    },
    {
      name: 'an unknown variable in a payload',
      fields: { type: 'agentcore', agent_runtime_arn: RUNTIME, payload_template: { a: [{ b: '{{question}}' }] } },
      message: 'field targets.1.payload_template.a.0.b: unknown variable {{question}} (did you mean {{input}}?)',
    },
    {
      name: 'a path that is none',
      fields: { type: 'agentcore', agent_runtime_arn: RUNTIME, response_path: 'a..b' },
      message: 'field targets.1.response_path: path "a..b": has an empty step',
    },
    {
      name: 'a path that nothing would read',
      fields: { type: 'bedrock', model: 'm', trajectory_path: 'steps' },
      message: 'field targets.1.trajectory_path: a target of type bedrock has no such path',
    },
    {
      name: 'a prompt beside messages',
      fields: { type: 'bedrock', model: 'm', prompt: 'x', messages: [{ role: 'user', content: 'y' }] },
      message: 'field targets.1.prompt: both "prompt" and "messages" are given (keep one of them)',
    },
  ])('refuses $name', ({ fields, message }) => {
    expect(() => createTarget(config(fields), deps)).toThrow(ConfigError);
    expect(() => createTarget(config(fields), deps)).toThrow(message);
  });
});
