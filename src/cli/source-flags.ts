import type { SourceOptions } from '../runner/source-file.ts';
import type { ParsedOptions } from './options.ts';

/** Flags that say what an eval is made of, where the file or folder does not. */
export const SOURCE_OPTIONS = {
  model: { type: 'string', short: 'm', multiple: true },
  prompt: { type: 'string', short: 'p' },
  'compare-baseline': { type: 'boolean' },
  dataset: { type: 'string' },
} as const;

export function sourceFromFlags(options: ParsedOptions): SourceOptions {
  return {
    models: options.list('model'),
    promptFile: options.text('prompt'),
    compareBaseline: options.flag('compare-baseline'),
    dataset: options.text('dataset'),
  };
}
