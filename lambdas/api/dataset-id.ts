import { ID_PATTERN } from '../../src/core/schemas/target-config.ts';
import { slugOf } from '../../src/core/slug.ts';
import { HttpProblem } from '../shared/http-problem.ts';

/** What is read of a name; the id is far shorter. */
const LONGEST_NAME = 300;
const FILE_ENDING = /\.(csv|tsv|jsonl|ndjson|json)(\.gz)?$/i;

/** "Support FAQ" or support-faq.csv → support-faq. Throws HttpProblem 400 when nothing of a name is left. */
export function datasetIdOf(name: string): string {
  const id = slugOf(name.slice(0, LONGEST_NAME).trim().replace(FILE_ENDING, ''));
  if (ID_PATTERN.test(id)) return id;
  throw new HttpProblem(400, 'invalid-name', 'the name of a dataset needs letters a to z or digits');
}
