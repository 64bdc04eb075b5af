import type { DatasetVersion, EvalVersion, Project } from '../../core/schemas/registry.ts';
import { DatasetVersionSchema, EvalVersionSchema, ProjectSchema } from '../../core/schemas/registry.ts';
import type { DynamoTable, Item } from './dynamo-table.ts';
import { packJson, readStored } from './packed-json.ts';
import type { Key } from './table-keys.ts';
import { keys, PROJECTS } from './table-keys.ts';

const ABSENT = { expression: 'attribute_not_exists(pk)' };

/** Projects, eval versions and dataset versions: written seldom, whole, as JSON. */
export class DynamoCatalog {
  private readonly table: DynamoTable;

  constructor(table: DynamoTable) {
    this.table = table;
  }

  async createProject(project: Project): Promise<boolean> {
    return (await this.table.putIf(projectItem(project), ABSENT)).written;
  }

  async putProject(project: Project): Promise<void> {
    await this.table.put(projectItem(project));
  }

  async getProject(id: string): Promise<Project | null> {
    const item = await this.table.get(keys.project(id));
    return item === null ? null : readProject(item);
  }

  async listProjects(): Promise<readonly Project[]> {
    const projects = (await this.table.query({ partition: PROJECTS })).map(readProject);
    return projects.sort((a, b) => compare(a.id, b.id));
  }

  async addEvalVersion(version: EvalVersion): Promise<boolean> {
    const { project, name } = version;
    const newest = await this.newestEval(project, name);
    if (version.version !== (newest?.version ?? 0) + 1) return false;
    await this.table.put({ ...keys.evalName(project, name), name });
    const item = {
      ...keys.evalVersion(project, name, version.version),
      body: packJson(`eval "${name}"`, version),
    };
    return (await this.table.putIf(item, ABSENT)).written;
  }

  async getEval(project: string, name: string, version?: number): Promise<EvalVersion | null> {
    if (version === undefined) return this.newestEval(project, name);
    if (!Number.isSafeInteger(version) || version < 1) return null;
    const item = await this.table.get(keys.evalVersion(project, name, version));
    return item === null ? null : readEval(item);
  }

  async listEvals(project: string): Promise<readonly EvalVersion[]> {
    const names = await this.namesIn(project, 'EVAL#');
    const evals = await Promise.all(names.map((name) => this.newestEval(project, name)));
    return evals.filter((found) => found !== null);
  }

  /** Oldest version first, so that one stopped half-way leaves the eval as it was to its readers. */
  async deleteEval(project: string, name: string): Promise<void> {
    await this.deleteInOrder(await this.table.query({ partition: keys.evalVersions(project, name) }));
    await this.table.delete(keys.evalName(project, name));
  }

  async putDatasetVersion(version: DatasetVersion): Promise<void> {
    const { project, id } = version;
    const body = packJson(`dataset "${id}"`, version);
    const items: (Key & Item)[] = [];
    if (version.version !== '') items.push({ ...keys.datasetVersion(project, id, version.version), body });
    if (version.upload_id !== undefined) items.push({ ...keys.datasetUpload(project, id, version.upload_id), body });
    if (items.length === 0) throw new TypeError(`dataset "${id}": a version without rows needs its upload_id`);
    await this.table.put({ ...keys.datasetName(project, id), name: id });
    await this.table.putAll(items);
  }

  async getDataset(project: string, id: string, version?: string): Promise<DatasetVersion | null> {
    if (version === undefined) {
      const versions = await this.listDatasetVersions(project, id);
      return versions.find((found) => found.status === 'ready') ?? null;
    }
    const wanted = [keys.datasetVersion(project, id, version), keys.datasetUpload(project, id, version)];
    const [item] = await this.table.getAll(wanted);
    return item === undefined ? null : readDataset(item);
  }

  async listDatasets(project: string): Promise<readonly DatasetVersion[]> {
    const ids = await this.namesIn(project, 'DATASET#');
    const lists = await Promise.all(ids.map((id) => this.listDatasetVersions(project, id)));
    return lists
      .map((versions) => versions.find((version) => version.status === 'ready') ?? versions[0])
      .filter((version) => version !== undefined);
  }

  async listDatasetVersions(project: string, id: string): Promise<readonly DatasetVersion[]> {
    return newestFirst((await this.table.query({ partition: keys.datasetVersions(project, id) })).map(readDataset));
  }

  async deleteDataset(project: string, id: string): Promise<void> {
    const items = await this.table.query({ partition: keys.datasetVersions(project, id) });
    const age = (item: Key & Item) => readDataset(item).created_at;
    await this.deleteInOrder(items.sort((a, b) => compare(age(a), age(b))));
    await this.table.delete(keys.datasetName(project, id));
  }

  private async newestEval(project: string, name: string): Promise<EvalVersion | null> {
    const partition = keys.evalVersions(project, name);
    const [item] = await this.table.query({ partition, startsWith: 'V#', descending: true, limit: 1 });
    return item === undefined ? null : readEval(item);
  }

  private async namesIn(project: string, kind: string): Promise<string[]> {
    const items = await this.table.query({ partition: keys.catalog(project), startsWith: kind });
    return items.map((item) => String(item.name)).sort(compare);
  }

  /** The last item goes after all others are gone. */
  private async deleteInOrder(items: readonly Key[]): Promise<void> {
    const last = items.at(-1);
    if (last === undefined) return;
    await this.table.deleteAll(items.slice(0, -1));
    await this.table.delete(last);
  }
}

/** One entry a version, newest first: an upload and the version that came of it are the same. */
export function newestFirst(versions: readonly DatasetVersion[]): DatasetVersion[] {
  const sorted = [...versions].sort((a, b) => compare(b.created_at, a.created_at) || compare(a.version, b.version));
  const seen = new Set<string>();
  return sorted.filter((version) => {
    const identity = version.version === '' ? `upload ${version.upload_id}` : version.version;
    return !seen.has(identity) && seen.add(identity);
  });
}

function projectItem(project: Project): Key & Item {
  return { ...keys.project(project.id), body: packJson(`project "${project.id}"`, project) };
}

function readProject(item: Key & Item): Project {
  return readStored(ProjectSchema, item);
}

function readEval(item: Key & Item): EvalVersion {
  return readStored(EvalVersionSchema, item);
}

function readDataset(item: Key & Item): DatasetVersion {
  return readStored(DatasetVersionSchema, item);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
