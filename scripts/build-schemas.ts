import { mkdir, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { renderOpenApi } from '../lambdas/api/contract/openapi-document.ts';
import { EvalFileSchema } from '../src/core/schemas/eval.ts';
import { BedrockJudgeSchema } from '../src/core/schemas/judge-config.ts';
import { RowResultSchema } from '../src/core/schemas/result.ts';
import { RunFinishedSchema } from '../src/core/schemas/run-finished.ts';
import { RunSummarySchema } from '../src/core/schemas/summary.ts';
import { TypedHttpTargetSchema } from '../src/core/schemas/target-config.ts';

/** JSON Schemas for editors and for readers of the result files, generated from the Zod schemas. */
export const JSON_SCHEMAS = {
  'eval.schema.json': { schema: EvalFileSchema, title: 'Assay eval', io: 'input' },
  'result.schema.json': { schema: RowResultSchema, title: 'A line of results.jsonl', io: 'output' },
  'run-finished.schema.json': {
    schema: RunFinishedSchema,
    title: 'Detail of the event Assay Run Finished',
    io: 'output',
  },
  'summary.schema.json': { schema: RunSummarySchema, title: 'summary.json', io: 'output' },
} as const;

export function renderJsonSchema(name: keyof typeof JSON_SCHEMAS): string {
  const { schema, title, io } = JSON_SCHEMAS[name];
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override({ zodSchema, jsonSchema }) {
      // The event may grow: listeners pass over members they do not know.
      if (name === 'run-finished.schema.json') delete jsonSchema.additionalProperties;
      // Absent, the type is http (a target) or bedrock (a judge).
      if (zodSchema === TypedHttpTargetSchema || zodSchema === BedrockJudgeSchema) {
        jsonSchema.required = jsonSchema.required?.filter((key) => key !== 'type');
      }
    },
  });
  return `${JSON.stringify({ title, ...json }, null, 2)}\n`;
}

if (import.meta.main) {
  await mkdir('schemas', { recursive: true });
  for (const name of Object.keys(JSON_SCHEMAS) as (keyof typeof JSON_SCHEMAS)[]) {
    await writeFile(`schemas/${name}`, renderJsonSchema(name));
  }
  await writeFile('schemas/openapi.json', renderOpenApi());
}
