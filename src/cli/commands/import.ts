import { readFile } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { parse as parseYaml, stringify } from 'yaml';
import { loadConfigFile } from '../../adapters/local/eval-file.ts';
import { makeFolder } from '../../adapters/local/make-folder.ts';
import { StorageError } from '../../core/errors.ts';
import { importPromptfoo } from '../../core/import/promptfoo.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { countOf } from '../../report/format.ts';
import { visibleLine } from '../../report/visible-text.ts';
import { EXIT_PASSED } from '../exit.ts';
import { parseOptions } from '../options.ts';
import { writeNew } from './import-traces.ts';

const HELP = `assay import <promptfooconfig.yaml> [--out <folder>]     a promptfoo configuration as an eval and a dataset

Writes eval.yaml and dataset.jsonl (default: a folder named like the file). What has no counterpart is listed with
its reason. Check it with assay validate <folder>/eval.yaml.

  --out <folder>   where to write
  --force          over files that are there
`;

export async function importCommand(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, { out: { type: 'string' }, force: { type: 'boolean' } });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const file = options.only('configuration', 'assay import <promptfooconfig.yaml> --out <folder>');
  const { value } = await loadConfigFile(file);
  const name = parse(resolve(file)).name.replace(/^promptfoo-?config$/i, '') || parse(dirname(resolve(file))).name;
  const imported = importPromptfoo(await withFiles(value as JsonValue, dirname(file)), name);
  const out = options.text('out') ?? name;
  await makeFolder(out).catch((error: Error) => {
    throw new StorageError(`cannot write ${out}: ${error.message}`, { cause: error });
  });
  const evalFile = join(out, 'eval.yaml');
  await writeNew(evalFile, stringify(imported.eval, { lineWidth: 120 }), options.flag('force'));
  const rows = imported.rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await writeNew(join(out, 'dataset.jsonl'), rows, options.flag('force'));
  for (const note of imported.notImported) process.stderr.write(`not imported: ${visibleLine(note)}\n`);
  process.stdout.write(
    `wrote ${evalFile} and ${countOf(imported.rows.length, 'row')} beside it\nnext: assay validate ${evalFile}\n`,
  );
  return EXIT_PASSED;
}

/** `file://…` in prompts and tests replaced by what the files hold; what cannot be read stays, and is reported as such. */
async function withFiles(config: JsonValue, folder: string): Promise<JsonValue> {
  if (!isJsonObject(config)) return config;
  const resolved: JsonObject = { ...config };
  if (config.prompts !== undefined) {
    resolved.prompts = await Promise.all([config.prompts].flat().map((prompt) => promptFile(prompt, folder)));
  }
  if (config.tests !== undefined) {
    const lists = await Promise.all([config.tests].flat().map((test) => testsFile(test, folder)));
    resolved.tests = lists.flat();
  }
  if (typeof config.defaultTest === 'string')
    resolved.defaultTest = (await testsFile(config.defaultTest, folder))[0] ?? null;
  return resolved;
}

async function promptFile(prompt: JsonValue, folder: string): Promise<JsonValue> {
  const reference = isJsonObject(prompt) ? (prompt.raw ?? prompt.id) : prompt;
  const text =
    typeof reference === 'string' && /\.(?:txt|md|json|ya?ml)$/.test(reference)
      ? await readReferred(reference, folder)
      : null;
  if (text === null) return prompt;
  // Messages in YAML are asked as messages, too.
  const raw = /\.ya?ml$/.test(String(reference)) ? JSON.stringify(parseYaml(text)) : text;
  return isJsonObject(prompt) ? { ...prompt, raw } : { raw };
}

async function testsFile(test: JsonValue, folder: string): Promise<JsonValue[]> {
  if (typeof test !== 'string') return [test];
  const text = await readReferred(test, folder);
  if (text === null) return [test];
  if (test.endsWith('.jsonl'))
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => parseYaml(line) as JsonValue);
  return /\.(?:ya?ml|json)$/.test(test) ? [parseYaml(text) as JsonValue].flat() : [test];
}

async function readReferred(reference: string, folder: string): Promise<string | null> {
  return readFile(resolve(folder, reference.replace(/^file:\/\//, '')), 'utf8').catch(() => null);
}
