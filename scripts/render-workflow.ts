/** Writes the run workflow for `assay dev`: `node scripts/render-workflow.ts [file]`, default dist/run-workflow.asl.json. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { renderWorkflow } from '../lib/render-workflow.ts';

const file = process.argv[2] ?? new URL('../dist/run-workflow.asl.json', import.meta.url).pathname;
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(renderWorkflow(), null, 2)}\n`);
