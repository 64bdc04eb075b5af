import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../adapters/local/make-folder.ts';
import { ConfigError, StorageError } from '../../core/errors.ts';
import { EXIT_PASSED } from '../exit.ts';
import { parseOptions } from '../options.ts';

const HELP = `assay init [folder]     write eval.yaml, dataset.csv and the schema for editors (default: ./evals)

Existing files are never overwritten.
`;

const EVAL = `# yaml-language-server: $schema=./eval.schema.json
#
# Edit first: 1. url, body_template and response_path: your service, and where its answer is
#             2. judge: the model that rules on the answers, or the lexical one, which needs none
#             3. dataset.csv: your questions
name: my-assistant
description: The assistant answers the top questions correctly and safely.
type: metrics                     # qa | classification | instruction | metrics | rag | agent
dataset: ./dataset.csv
targets:
  - type: http
    url: https://api.example.com/answer                             # EDIT: your service
    # headers: { Authorization: "Bearer {{secrets.MY_API_KEY}}" }   # from the environment or .env
    body_template: { question: "{{input}}" }
    response_path: answer           # where the answer is in the JSON response
# EDIT: a model on Amazon Bedrock needs a Region and credentials of AWS; keep one of the three lines
judge: { type: bedrock, model: us.amazon.nova-2-lite-v1:0, region: us-east-1 }
# judge: { type: openai, url: http://127.0.0.1:11434/v1, model: llama3.1 }   # any OpenAI-compatible server
# judge: { type: lexical }          # no model and no account: compares words, to try things out
metrics: [correctness, relevance, safety, latency]
latency_budget_ms: 3000
thresholds: { min_score: 0.8 }
`;

const DATASET = `id,input,expected,tags
returns,How many days do I have to return an item?,30 days,returns
shipping,What does delivery cost?,"4.90 euros, free from 50 euros",shipping
`;

export async function init(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, {});
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const folder = options.positionals.length === 0 ? 'evals' : options.only('folder', 'assay init [folder]');
  const { default: schema } = await import('../../../schemas/eval.schema.json', { with: { type: 'json' } });
  const files = {
    'eval.yaml': EVAL,
    'dataset.csv': DATASET,
    'eval.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
  };
  try {
    await makeFolder(folder);
    for (const name of Object.keys(files)) await refuseExisting(join(folder, name));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new StorageError(`cannot write to ${folder}: ${(error as Error).message}`, { cause: error });
  }
  process.stdout.write(
    `wrote ${Object.keys(files)
      .map((name) => join(folder, name))
      .join(
        ', ',
      )}\nedit url and judge in eval.yaml, then: assay validate ${join(folder, 'eval.yaml')}\nwithout a model yet: assay validate ${join(folder, 'eval.yaml')} --judge lexical\n`,
  );
  return EXIT_PASSED;
}

async function refuseExisting(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists)
    throw new ConfigError([{ file: path, message: 'exists already', fix: 'name another folder: assay init <folder>' }]);
}
