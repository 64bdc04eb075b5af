import { ID_PATTERN } from '../../src/core/schemas/target-config.ts';
import { HttpProblem } from '../shared/http-problem.ts';

const FILE_ENDING = /\.(csv|tsv|jsonl|ndjson|json)(\.gz)?$/i;

/** "Support FAQ" or support-faq.csv → support-faq. Throws HttpProblem 400 when nothing of a name is left. */
export function datasetIdOf(name: string): string {
  const id = name
    .slice(0, 300)
    .trim()
    .replace(FILE_ENDING, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 63)
    .replace(/-$/, '');
  if (ID_PATTERN.test(id)) return id;
  throw new HttpProblem(400, 'invalid-name', 'the name of a dataset needs letters a to z or digits');
}
