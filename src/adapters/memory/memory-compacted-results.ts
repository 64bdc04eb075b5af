import { gunzipSync } from 'node:zlib';
import type { CompactedResults, PartRange, StagedFile } from '../../ports/compacted-results.ts';
import type { RunRef } from '../../ports/result-parts.ts';
import type { ByteChunks } from '../../ports/run-store.ts';
import { objectKeys, partNumber } from '../aws/object-keys.ts';
import type { MemoryResultParts } from './memory-result-parts.ts';
import { inChunks } from './memory-run-store.ts';

interface HeldFile extends StagedFile {
  readonly content: Uint8Array;
}

/** Compacted files in this process, beside the parts they are made of; for tests of use cases. */
export class MemoryCompactedResults implements CompactedResults {
  /** Run id → files, in row order. */
  readonly published = new Map<string, readonly HeldFile[]>();
  private readonly held = new Map<string, HeldFile[]>();
  private readonly results: MemoryResultParts;

  constructor(results: MemoryResultParts) {
    this.results = results;
  }

  async *parts(run: RunRef, after: number): AsyncGenerator<{ part: number; lines: ByteChunks }> {
    const prefix = objectKeys.results(run);
    for (const key of [...this.results.objects.keys()].filter((name) => name.startsWith(prefix)).sort()) {
      const bytes = this.results.objects.get(key);
      if (partNumber(key) > after && bytes !== undefined)
        yield { part: partNumber(key), lines: inChunks(gunzipSync(bytes)) };
    }
  }

  async staged(run: RunRef): Promise<readonly StagedFile[]> {
    return (this.held.get(run.runId) ?? []).map(({ content: _, ...file }) => file);
  }

  async stage(run: RunRef, range: PartRange & { readonly rows: number }, content: Uint8Array): Promise<void> {
    const others = (this.held.get(run.runId) ?? []).filter((file) => !isSame(file, range));
    const files = [...others, { ...range, bytes: content.byteLength, content }];
    this.held.set(
      run.runId,
      files.sort((a, b) => a.fromPart - b.fromPart || a.toPart - b.toPart),
    );
  }

  async publish(run: RunRef, files: readonly StagedFile[]): Promise<void> {
    const held = this.held.get(run.runId) ?? [];
    const found = files.map((file) => held.find((candidate) => isSame(candidate, file)));
    if (found.includes(undefined)) throw new Error('a file to publish is not staged any more');
    this.published.set(
      run.runId,
      found.filter((file) => file !== undefined),
    );
    this.held.delete(run.runId);
  }
}

const isSame = (a: PartRange, b: PartRange): boolean => a.fromPart === b.fromPart && a.toPart === b.toPart;
