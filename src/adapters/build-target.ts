import { ConfigError } from '../core/errors.ts';
import type { TargetConfig } from '../core/schemas/target-config.ts';
import type { Target } from '../ports/target.ts';
import { compileHttpRequest } from './http/http-request.ts';
import type { HttpTargetDeps } from './http/http-target.ts';
import { HttpTarget } from './http/http-target.ts';
import { RecordedTarget } from './recorded-target.ts';

/** What targets are built from; `secrets` holds the values of all that `secretNamesOfTarget` names. */
export type TargetDeps = HttpTargetDeps;

/** Builds the adapter of a target. Throws ConfigError for faults in templates, paths and secrets. */
export function createTarget(config: TargetConfig, deps: TargetDeps): Target {
  switch (config.type) {
    case 'http':
      return new HttpTarget(config, deps);
    case 'recorded':
      return new RecordedTarget(config, { where: deps.where });
    default:
      throw notSupported(config, deps.where);
  }
}

/** Names of the secrets a target uses, before any is read. Throws ConfigError for templates that are none. */
export function secretNamesOfTarget(config: TargetConfig, where = `targets.${config.id}`): readonly string[] {
  return config.type === 'http' ? compileHttpRequest(config, { where }).secretNames : [];
}

function notSupported(config: TargetConfig, where = `targets.${config.id}`): ConfigError {
  return new ConfigError([{ field: `${where}.type`, message: `not yet supported: target type ${config.type}` }]);
}
