import { describe, expect, it } from 'vitest';
import { MemoryCompactedResults } from '../../../src/adapters/memory/memory-compacted-results.ts';
import { MemoryRegistry } from '../../../src/adapters/memory/memory-registry.ts';
import { MemoryResultParts } from '../../../src/adapters/memory/memory-result-parts.ts';
import type { CompactRequest } from '../../../src/core/schemas/compaction.ts';
import { type ColumnarFile, type CompactRunPorts, compactRun } from '../../../src/use-cases/aggregate/compact-run.ts';
import { RUN } from '../../contracts/result-parts.ts';
import { aProject, aResult, aRun, RUN_ID } from '../../contracts/samples.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const MIB = 1024 * 1024;
const request: CompactRequest = { run_id: RUN_ID, project: 'shop' };

/** Row indexes as text; as large as `bytesALine` says. */
class ListFile implements ColumnarFile {
  readonly lines: string[] = [];
  readonly #bytesALine: number;
  constructor(bytesALine: number) {
    this.#bytesALine = bytesALine;
  }
  get rows(): number {
    return this.lines.length;
  }
  get encodedBytes(): number {
    return this.rows * this.#bytesALine;
  }
  add(line: string): void {
    const { index } = JSON.parse(line) as { index: number };
    if (index === 666) throw new TypeError('a number is wanted');
    this.lines.push(String(index));
  }
  finish(): Uint8Array {
    return Buffer.from(this.lines.join(' '));
  }
}

async function setUp({ bytesALine = 1, lasts = Number.POSITIVE_INFINITY, status = 'passed' as const } = {}) {
  const clock = new VirtualClock();
  const registry = new MemoryRegistry(clock);
  const parts = new MemoryResultParts();
  const compacted = new MemoryCompactedResults(parts);
  await registry.createProject(aProject());
  await registry.createRun(aRun({ status, attempt: 2 }));
  const handedOn: CompactRequest[] = [];
  let opened = 0;
  const ports: CompactRunPorts = {
    registry,
    clock,
    compacted,
    openFile() {
      opened += 1;
      return new ListFile(bytesALine);
    },
    remainingMs: () => (opened > lasts ? 1_000 : 600_000),
    goOn: async (again) => void handedOn.push(again),
  };
  const write = async (...firsts: number[]) => {
    for (const first of firsts) await parts.write(RUN, first, [aResult(first), aResult(first + 1)]);
  };
  const published = () =>
    (compacted.published.get(RUN_ID) ?? []).map(({ fromPart, toPart, content }) => [
      fromPart,
      toPart,
      Buffer.from(content).toString('utf8'),
    ]);
  return { ports, parts, registry, compacted, write, published, handedOn };
}

describe('compacting a run', () => {
  it('makes one file of small parts, line for line, and says so in the run', async () => {
    const { ports, write, published, registry } = await setUp();
    await write(0, 100, 90_000_007);
    const report = await compactRun(request, ports);
    expect(published()).toEqual([[0, 90_000_007, '0 1 100 101 90000007 90000008']]);
    const compaction = { attempt: 2, files: 1, rows: 6, bytes: 29, finished_at: expect.stringMatching(/Z$/) };
    expect(report).toEqual({ status: 'done', compaction });
    expect((await registry.getRun(RUN_ID))?.compaction).toEqual(compaction);
  });

  it('ends a file with the part that makes it large enough', async () => {
    const { ports, write, published } = await setUp({ bytesALine: 16 * MIB });
    await write(0, 100, 200, 300, 400);
    await compactRun(request, ports);
    expect(published()).toEqual([
      [0, 100, '0 1 100 101'],
      [101, 300, '200 201 300 301'],
      [301, 400, '400 401'],
    ]);
  });

  it('hands on before time runs out, and goes on after what is staged until all is there', async () => {
    const { ports, write, published, handedOn } = await setUp({ lasts: 0 });
    await write(0, 100, 200);
    expect(await compactRun(request, ports)).toEqual({ status: 'goes on', rows: 2 });
    expect(published()).toEqual([]);
    expect(handedOn).toEqual([request]);
    expect(await compactRun(request, ports)).toEqual({ status: 'goes on', rows: 4 });
    expect(await compactRun(request, ports)).toEqual({ status: 'goes on', rows: 6 });
    expect(await compactRun(request, ports)).toMatchObject({ status: 'done', compaction: { files: 3, rows: 6 } });
    expect(published().map(([, , content]) => content)).toEqual(['0 1', '100 101', '200 201']);
  });

  it('counts no row twice where two attempts staged the same rows under other names', async () => {
    const { ports, compacted, write, published } = await setUp({ lasts: 0 });
    await write(0, 100, 200);
    await compactRun(request, ports);
    await compacted.stage(RUN, { fromPart: 0, toPart: 100, rows: 4 }, Buffer.from('0 1 100 101'));
    await compacted.stage(RUN, { fromPart: 50, toPart: 200, rows: 4 }, Buffer.from('100 101 200 201'));
    await compactRun(request, { ...ports, remainingMs: () => 600_000 });
    expect(published().flatMap(([, , content]) => String(content).split(' '))).toEqual([
      '0',
      '1',
      '100',
      '101',
      '200',
      '201',
    ]);
  });

  it('passes over parts without a line, and a run without results has no file', async () => {
    const { ports, parts, write, published } = await setUp();
    expect(await compactRun(request, ports)).toMatchObject({ status: 'done', compaction: { files: 0, rows: 0 } });
    for (const first of [0, 1, 300]) await parts.write(RUN, first, []);
    await write(100);
    expect(await compactRun(request, ports)).toMatchObject({ compaction: { files: 1, rows: 2 } });
    expect(published()).toEqual([[0, 300, '100 101']]);
  });

  it('leaves a run alone that is not finished', async () => {
    const { ports, write, published } = await setUp({ status: 'running' as 'passed' });
    await write(0);
    expect(await compactRun(request, ports)).toEqual({ status: 'not finished' });
    expect(published()).toEqual([]);
  });

  it('names part and line of a result that does not fit, and publishes nothing', async () => {
    const { ports, write, published, registry } = await setUp();
    await write(0, 665);
    await expect(compactRun(request, ports)).rejects.toThrow(
      'line 2 of part 665 does not fit the table: a number is wanted',
    );
    expect(published()).toEqual([]);
    expect((await registry.getRun(RUN_ID))?.compaction).toBeUndefined();
  });
});
