import { ConfigError } from '../../core/errors.ts';
import type { JsonValue } from '../../core/json.ts';
import { compileTemplate } from '../../core/template/compile-template.ts';
import type { Rendered, TemplateVariables } from '../../core/template/variables.ts';

export interface PayloadTemplate {
  readonly secretNames: readonly string[];
  /** The payload as JSON bytes. */
  render(variables: TemplateVariables): Rendered<Uint8Array>;
}

/** A payload is a JSON tree whose texts are templates, rendered as one, so that no value breaks out of its place. Throws ConfigError. */
export function compilePayload(template: JsonValue, { where }: { readonly where: string }): PayloadTemplate {
  const { secretNames, render } = compileTemplate(template, { where: `${where}.payload_template` });
  return {
    secretNames,
    render: (variables) => {
      const tree = render(variables);
      return tree.ok ? { ok: true, value: Buffer.from(JSON.stringify(tree.value)) } : tree;
    },
  };
}

/** Region of an ARN of this service. Throws ConfigError for what is no such ARN. */
export function regionOfArn(arn: string, service: string, field: string): string {
  const region = new RegExp(`^arn:[a-z-]+:${service}:([a-z0-9-]+):\\d{12}:.+$`).exec(arn)?.[1];
  if (region !== undefined) return region;
  const example = service === 'lambda' ? 'function:support-bot' : 'runtime/support_bot-a1b2c3d4e5';
  const message = `"${arn}" is no ARN of ${service}`;
  throw new ConfigError([{ field, message, fix: `such as arn:aws:${service}:us-east-1:111122223333:${example}` }]);
}
