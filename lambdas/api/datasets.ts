import * as z from 'zod';
import { readLines } from '../../src/core/jsonl.ts';
import type { DatasetVersion } from '../../src/core/schemas/registry.ts';
import type { ByteChunks } from '../../src/ports/run-store.ts';
import { NotFoundError } from '../../src/use-cases/manage/errors.ts';
import { findProject } from '../../src/use-cases/manage/put-project.ts';
import { storeDataset } from '../../src/use-cases/manage/store-dataset.ts';
import { readForm } from '../shared/http-multipart.ts';
import { HttpProblem } from '../shared/http-problem.ts';
import { emptyResponse, jsonResponse } from '../shared/http-response.ts';
import { datasetIdOf } from './dataset-id.ts';
import { projectParameter, qualifiedId, qualifiedParameter } from './parameters.ts';
import type { ApiOperation } from './ports.ts';

const MIB = 1024 * 1024;
/** A Lambda event holds 6 MB, and this is base64 in it; a little more than the file's 4 MB for the form around it. */
const LARGEST_FORM_BYTES = 4 * MIB + 16 * 1024;
/** What 4 MB of gzip may become here. */
const LARGEST_UNPACKED_BYTES = 64 * MIB;
const FIRST_ROWS = 20;
const FIRST_ROWS_CHARACTERS = 500_000;

const ColumnsSchema = z.record(z.string(), z.string());

/** A small file: read at once, so that its faults are the answer. */
export const putDatasetOperation: ApiOperation = async (request, ports) => {
  const project = projectParameter(request, 'project');
  await findProject(project, ports);
  const hint = `larger files go through POST /api/datasets/project/${project}/uploads`;
  const form = await readForm(request, { maxBytes: LARGEST_FORM_BYTES, hint });
  const file = await form.file('file');
  if (file === null) throw new HttpProblem(400, 'invalid-body', 'the form lacks the field "file"');
  const columns = columnsOf(form.text('columns'));
  const { version, isNew } = await storeDataset(
    {
      project,
      dataset: datasetIdOf(form.text('name') ?? file.name),
      ...(columns === null ? {} : { columns }),
      open: async () => ({
        name: file.name,
        chunks: ports.unpack(inOneChunk(file.bytes), file.name, LARGEST_UNPACKED_BYTES),
      }),
    },
    ports,
  );
  const view = toView(version);
  return jsonResponse(isNew ? 201 : 200, view, { location: `/api/datasets/${view.id}` });
};

export const listDatasetsOperation: ApiOperation = async (request, ports) => {
  const { id } = await findProject(projectParameter(request, 'project'), ports);
  return jsonResponse(200, { items: (await ports.registry.listDatasets(id)).map(toView) });
};

export const readDatasetOperation: ApiOperation = async (request, ports) => {
  const { project, name } = qualifiedParameter(request, 'dataset');
  const versions = await ports.registry.listDatasetVersions(project, name);
  const newest = versions.find(({ status }) => status === 'ready') ?? versions[0];
  if (newest === undefined) throw new NotFoundError('there is no such dataset');
  const chunks = newest.version === '' ? null : await ports.datasets.read(project, name, newest.version);
  return jsonResponse(200, {
    ...toView(newest),
    versions: versions.map(({ project: _, id: __, ...version }) => version),
    first_rows: chunks === null ? [] : await firstRows(chunks),
  });
};

/** The rows first: a deletion that broke off can be asked for again. */
export const deleteDatasetOperation: ApiOperation = async (request, ports) => {
  const { project, name } = qualifiedParameter(request, 'dataset');
  if ((await ports.registry.listDatasetVersions(project, name)).length === 0) {
    throw new NotFoundError('there is no such dataset');
  }
  await ports.datasets.delete(project, name);
  await ports.registry.deleteDataset(project, name);
  return emptyResponse();
};

export function toView({ id, ...version }: DatasetVersion) {
  return { id: qualifiedId(version.project, id), name: id, ...version };
}

/** Stops reading as soon as there are enough. */
async function firstRows(chunks: ByteChunks): Promise<unknown[]> {
  const rows: unknown[] = [];
  let characters = 0;
  for await (const line of readLines(chunks)) {
    characters += line.length;
    if (characters > FIRST_ROWS_CHARACTERS) break;
    rows.push(JSON.parse(line));
    if (rows.length === FIRST_ROWS) break;
  }
  return rows;
}

function columnsOf(text: string | null): Record<string, string> | null {
  if (text === null || text.trim() === '') return null;
  const parsed = ColumnsSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new HttpProblem(400, 'invalid-body', 'columns must be JSON such as {"expected": "ground_truth"}');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
