import { readFile, stat, writeFile } from 'node:fs/promises';
import { ConfigError } from '../../core/errors.ts';
import { importTraces } from '../../core/import/trace-file.ts';
import { countOf } from '../../report/format.ts';
import { visibleLine } from '../../report/visible-text.ts';
import { EXIT_PASSED, EXIT_UNDECIDED } from '../exit.ts';
import { parseOptions } from '../options.ts';

const HELP = `assay import-traces <file> --out <dataset.jsonl>     recorded agent runs as rows of an agent dataset

The file holds traces as JSON lines or JSON: steps ({task, steps: […]}), message lists of OpenAI, LangChain, Anthropic
or Bedrock, or OpenTelemetry GenAI spans. A row expects the recorded final answer and the tools that were called;
what the tools gave back become its mocks. Read the rows before you rely on them: they say what happened, not what
should have.

  --out <file>   the dataset to write; an existing file is kept unless --force is given
`;
/** Beyond this a text of one file cannot be held. */
const MAX_BYTES = 256 * 1024 ** 2;

export async function importTracesCommand(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, { out: { type: 'string' }, force: { type: 'boolean' } });
  if (options.flag('help')) {
    process.stdout.write(HELP);
    return EXIT_PASSED;
  }
  const usage = 'assay import-traces <file> --out <dataset.jsonl>';
  const file = options.only('file of traces', usage);
  const out = options.text('out');
  if (out === undefined) throw new ConfigError([{ message: 'no file to write to', fix: usage }]);
  const { rows, notes } = importTraces(await readTraces(file), file);
  for (const note of notes) process.stderr.write(`${visibleLine(note)}\n`);
  if (rows.length === 0) {
    process.stderr.write(`assay: ${file} holds no trace that makes a row; nothing was written\n`);
    return EXIT_UNDECIDED;
  }
  await writeNew(out, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), options.flag('force'));
  process.stdout.write(
    `wrote ${countOf(rows.length, 'row')} to ${out}\nnext: an eval of type agent with dataset: ${out}\n`,
  );
  return EXIT_PASSED;
}

async function readTraces(file: string): Promise<string> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) {
    throw new ConfigError([{ file, message: 'there is no such file', fix: 'check the path' }]);
  }
  if (found.size > MAX_BYTES) {
    throw new ConfigError([{ file, message: 'larger than 256 MB', fix: 'split the file' }]);
  }
  return readFile(file, 'utf8');
}

/** Writes a file; one that is there already only with --force. Throws ConfigError. */
export async function writeNew(path: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`;
    throw new ConfigError([{ file: path, message, fix: 'name another place, or add --force' }]);
  }
}
