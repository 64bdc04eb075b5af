import { ConfigError } from '../../src/core/errors.ts';
import { importPlainwright } from '../../src/core/import/plainwright-test.ts';
import { isJsonObject, type JsonObject } from '../../src/core/json.ts';
import type { EvalVersion } from '../../src/core/schemas/registry.ts';
import { putEval } from '../../src/use-cases/manage/put-eval.ts';
import type { ApiPorts } from './ports.ts';

export interface StoredTest {
  readonly version: EvalVersion;
  /** What was left out or read in a way that one might not expect. */
  readonly warnings: readonly string[];
}

/** Stores a test of Plainwright's as an eval, its `dataset_id` a dataset of ours. Throws what putEval throws, ConfigError with the fields of the test. */
export async function createFromPlainwright(project: string, test: JsonObject, ports: ApiPorts): Promise<StoredTest> {
  const dataset = isJsonObject(test.config) ? test.config.dataset_id : undefined;
  if (typeof dataset !== 'string') {
    const fix = `upload one: POST /api/datasets/project/${project}`;
    throw new ConfigError([
      { field: 'config.dataset_id', message: 'the id of a dataset of this project is missing', fix },
    ]);
  }
  const { value, warnings } = importPlainwright(test, { dataset });
  try {
    return { version: await putEval({ project, raw: value, mode: 'create' }, ports), warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.faults.map(({ field, ...fault }) => ({ ...fault, field: fieldOfTest(field) })));
  }
}

const RENAMED: Readonly<Record<string, string>> = {
  dataset: 'config.dataset_id',
  description: 'natural_language',
  'thresholds.min_score': 'config.threshold',
  metrics: 'config.metrics',
  rubric: 'config.rubric',
  latency_budget_ms: 'config.latency_budget_ms',
  sample_size: 'config.sample_size',
  sample_seed: 'config.sample_seed',
};

/** Where the person who wrote the test finds it. */
function fieldOfTest(field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (/^targets\.0(\.|$)/.test(field)) return field.replace(/^targets\.0/, 'config.target');
  const [head = ''] = field.split('.');
  return RENAMED[field] ?? (RENAMED[head] === undefined ? field : field.replace(head, RENAMED[head]));
}
