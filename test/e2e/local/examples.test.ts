import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startSupportBot } from '../../../examples/support-bot/server.ts';
import { JSON_SCHEMAS, renderJsonSchema } from '../../../scripts/build-schemas.ts';
import { RunSummarySchema } from '../../../src/core/schemas/summary.ts';
import { assayHere, CHECKOUT, cleanUp, makeFolder, readResults, summaryOf } from './harness.ts';

const EVALS = join(CHECKOUT, 'examples', 'evals');
const EXAMPLES = readdirSync(EVALS).filter((name) => name.endsWith('.yaml'));
const readSchema = (name: string): object =>
  JSON.parse(readFileSync(join(CHECKOUT, 'schemas', name), 'utf8')) as object;
const validatorOf = (name: string) => new Validator(readSchema(name), '2020-12', false);

describe('schemas for editors', () => {
  it.each(Object.keys(JSON_SCHEMAS) as (keyof typeof JSON_SCHEMAS)[])('%s is what the sources say', (name) => {
    expect(readFileSync(join(CHECKOUT, 'schemas', name), 'utf8')).toBe(renderJsonSchema(name));
  });

  it.each(EXAMPLES)('%s holds to the schema it names', (name) => {
    const text = readFileSync(join(EVALS, name), 'utf8');
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../../schemas/eval.schema.json');
    expect(validatorOf('eval.schema.json').validate(parse(text)).errors).toEqual([]);
  });

  it('finds a misspelt key', () => {
    const value = { ...parse(readFileSync(join(EVALS, 'arithmetic.yaml'), 'utf8')), datset: 'x' };
    expect(validatorOf('eval.schema.json').validate(value).valid).toBe(false);
  });
});

/** Gates are part of what the examples show; one that is not listed passes, every row of it. Those of the support bot ask a real HTTP service. */
const GATES: Readonly<
  Record<string, { readonly gate: 'pass' | 'fail'; readonly passed: number; readonly rows: number }>
> = {
  'arithmetic-small.yaml': { gate: 'fail', passed: 4, rows: 6 },
  'handbook-made-up.yaml': { gate: 'fail', passed: 0, rows: 4 },
  'returns-rag.yaml': { gate: 'pass', passed: 4, rows: 4 },
  'support-faq.yaml': { gate: 'pass', passed: 17, rows: 18 },
  'support-hard.yaml': { gate: 'fail', passed: 6, rows: 12 },
  'travel-agent.yaml': { gate: 'fail', passed: 2, rows: 3 },
};

describe('example evals', () => {
  it.each(EXAMPLES)('%s gives the gate it is there to show', async (name) => {
    const folder = await makeFolder();
    cpSync(EVALS, folder, { recursive: true });
    if (name.startsWith('support')) await pointAtBot(join(folder, name));
    const runs = join(folder, '.assay');
    const ended = await assayHere(['run', join(folder, name), '--json', '--dir', runs]);
    const summary = summaryOf(ended);
    const { rows: all } = summary.counts;
    const { gate, passed, rows } = GATES[name] ?? { gate: 'pass', passed: all, rows: all };
    expect({ gate: summary.gate, passed: summary.counts.passed, rows: all }).toEqual({ gate, passed, rows });
    expect(ended.code).toBe(gate === 'pass' ? 0 : 1);
    expect(() => RunSummarySchema.parse(summary)).not.toThrow();
    expect(validatorOf('summary.schema.json').validate(summary).errors).toEqual([]);
    const [first] = readResults(folder, summary.run_id);
    expect(validatorOf('result.schema.json').validate(first).errors).toEqual([]);
  });
});

/** The example names the port that `npm run bot` takes; a test takes any free one. */
async function pointAtBot(file: string): Promise<void> {
  const bot = await startSupportBot();
  cleanUp(() => bot.close());
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('http://127.0.0.1:4010', bot.url));
}
