import { ConfigError, type Fault } from '../../core/errors.ts';
import type { EvalConfig } from '../../core/schemas/eval.ts';
import type { HttpTargetConfig } from '../../core/schemas/target-config.ts';
import { compileAnswerPaths } from '../../core/template/read-answer.ts';
import { compileUrl } from '../../core/template/url-template.ts';
import { type AddressRules, createAddressRules } from './address-rules.ts';
import { compileHttpRequest } from './http-request.ts';
import { CREDENTIALS_REFUSAL, inspectUrl, OutboundBlockedError } from './url-rules.ts';

/** `user:password@` in front of a host; for URLs whose host a secret makes, which no parser can take apart yet. */
const CREDENTIALS = /^[^:/?#\\]*:[/\\]*[^/?#\\]*@/;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/**
 * What is wrong with the requests of an eval as they are written, before it is stored: templates, paths, and URLs under
 * the outbound rules. Asks no resolver and reads no secret; what depends on these is found when a run is prepared.
 */
export function writtenFaults(config: EvalConfig, { loopback }: { readonly loopback: boolean }): readonly Fault[] {
  const faults: Fault[] = [];
  const { allowed_hosts: allowedHosts, allowed_cidrs: allowedCidrs, https_only: httpsOnly } = config;
  let rules: AddressRules | undefined;
  collect(faults, () => {
    rules = createAddressRules({ loopback, allowedHosts, allowedCidrs });
  });
  for (const [index, target] of config.targets.entries()) {
    if (target.type !== 'http') continue;
    const where = `targets.${index}`;
    collect(faults, () => {
      compileHttpRequest(target, { where });
      checkUrl(target, where, rules, httpsOnly);
    });
    collect(faults, () => compileAnswerPaths(target, { where, fallbackModel: target.id }));
  }
  for (const [index, judge] of config.judges.entries()) {
    if (judge.type !== 'openai' || !CREDENTIALS.test(judge.url)) continue;
    const fix = 'put the key into api_key as {{secrets.NAME}}';
    faults.push({ field: index === 0 ? 'judge.url' : `judge.${index}.url`, message: 'the URL holds credentials', fix });
  }
  return faults;
}

/** Throws ConfigError. */
function checkUrl({ url }: HttpTargetConfig, where: string, rules: AddressRules | undefined, httpsOnly: boolean): void {
  const field = `${where}.url`;
  const { written } = compileUrl(url, { where: field });
  const refuse = (message: string) => new ConfigError([{ field, message }]);
  if (!written.hasOwnHost) {
    if (CREDENTIALS.test(written.url)) throw refuse(CREDENTIALS_REFUSAL);
    const scheme = SCHEME.exec(written.url)?.[1]?.toLowerCase() ?? 'https';
    if (scheme !== 'https' && scheme !== 'http') {
      throw refuse(`${scheme}: URLs are refused; only https: and http: are allowed`);
    }
    return;
  }
  if (rules === undefined) return;
  try {
    inspectUrl(written.url, rules, httpsOnly);
  } catch (error) {
    if (error instanceof OutboundBlockedError) throw refuse(error.message);
    throw error;
  }
}

function collect(faults: Fault[], check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
}
