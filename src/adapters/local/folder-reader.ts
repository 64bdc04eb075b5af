import { readdir, readFile } from 'node:fs/promises';

/** The texts of a folder by file name, read when they are first asked for and kept; a failure is not kept. */
export function folderReader(folder: URL): () => Promise<ReadonlyMap<string, string>> {
  let kept: Promise<ReadonlyMap<string, string>> | null = null;
  return () => {
    kept ??= readFolder(folder).catch((error: unknown) => {
      kept = null;
      throw error;
    });
    return kept;
  };
}

async function readFolder(folder: URL): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).sort();
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, string]> => [name, await readFile(new URL(name, folder), 'utf8')]),
    ),
  );
}
