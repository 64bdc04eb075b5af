import { describe, expect, it } from 'vitest';
import { createTarget, secretNamesOfTarget, type TargetDeps } from '../../src/adapters/build-target.ts';
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
  it.each([
    { fields: { url: 'https://api.example.com/' }, type: 'http' },
    { fields: { type: 'recorded' }, type: 'recorded' },
  ])('builds $type', ({ fields, type }) => {
    expect(createTarget(config(fields), deps)).toMatchObject({ id: 'one', type });
  });

  it('says which types are not there yet', () => {
    const agent = config({ type: 'bedrock-agent', agent_id: 'A', agent_alias_id: 'B' });
    expect(() => createTarget(agent, deps)).toThrow(ConfigError);
    expect(() => createTarget(agent, deps)).toThrow(
      'field targets.1.type: not yet supported: target type bedrock-agent',
    );
  });
});

describe('secretNamesOfTarget', () => {
  it('names the secrets of URL, headers and body, each once', () => {
    const target = config({
      url: 'https://{{secrets.HOST}}/',
      headers: { a: '{{secrets.KEY}}' },
      body_template: { b: ['{{secrets.KEY}}', '{{ secrets.BODY }}'] },
    });
    expect(secretNamesOfTarget(target)).toEqual(['HOST', 'KEY', 'BODY']);
    expect(secretNamesOfTarget(config({ type: 'recorded' }))).toEqual([]);
  });
});
