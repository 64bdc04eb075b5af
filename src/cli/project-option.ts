import { ConfigError } from '../core/errors.ts';
import { ID_PATTERN } from '../core/schemas/target-config.ts';
import type { ParsedOptions } from './options.ts';

/** The project that --project or ASSAY_PROJECT names. Throws ConfigError. */
export function projectOf(options: ParsedOptions, env: NodeJS.ProcessEnv = process.env): string {
  const project = options.text('project') ?? env.ASSAY_PROJECT ?? '';
  if (ID_PATTERN.test(project)) return project;
  throw new ConfigError([
    project === ''
      ? { message: 'no project is named', fix: 'give --project <id> or set ASSAY_PROJECT' }
      : { message: `"${project}" is no project id`, fix: 'a to z, 0 to 9 and "-", at most 63 characters' },
  ]);
}
