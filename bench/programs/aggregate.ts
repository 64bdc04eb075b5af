import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { RunConfigSchema } from '../../src/core/schemas/run.ts';
import { aggregateRun } from '../../src/use-cases/aggregate/aggregate-run.ts';

// Aggregates the parts of a run, either as the product does (`--mode assay`) or only parsing every line (`--mode parse`):
// split at line feeds, `toString` + `JSON.parse` a line, mean, pass rate and exact percentiles. Prints rows and pass rate.

const { values } = parseArgs({ options: { mode: { type: 'string' }, folder: { type: 'string' } } });
const folder = values.folder ?? '';
const files = (await readdir(folder)).filter((name) => name.startsWith('part-')).sort();
console.log(JSON.stringify(values.mode === 'assay' ? await withProduct() : await withParsing()));

async function withProduct() {
  const config = RunConfigSchema.parse(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')));
  const finishedAt = '2026-11-30T10:00:00.000Z';
  const { summary, outcomes } = await aggregateRun({
    config,
    results: allParts(),
    baseline: null,
    finishedAt,
    stopped: null,
  });
  let lines = 0;
  for (const _ of outcomes) lines += 1;
  return { rows: lines, passed: summary.counts.passed };
}

async function withParsing() {
  const latencies: number[] = [];
  let passed = 0;
  let sum = 0;
  const take = (line: string) => {
    const result = JSON.parse(line) as { passed: boolean; score: number; latency_ms: number };
    if (result.passed) passed += 1;
    sum += result.score;
    latencies.push(result.latency_ms);
  };
  for await (const part of allParts()) {
    let rest: Buffer = Buffer.alloc(0);
    for await (const bytes of part) {
      const chunk = rest.length === 0 ? (bytes as Buffer) : Buffer.concat([rest, bytes]);
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        take(chunk.toString('utf8', from, end));
        from = end + 1;
      }
      rest = chunk.subarray(from);
    }
  }
  const sorted = Float64Array.from(latencies).sort();
  return {
    rows: latencies.length,
    passed,
    mean: sum / latencies.length,
    p95: sorted[Math.ceil(0.95 * sorted.length) - 1],
  };
}

async function* allParts(): AsyncGenerator<AsyncIterable<Uint8Array>> {
  for (const name of files) {
    const path = join(folder, name);
    if (!name.endsWith('.gz')) yield createReadStream(path, { highWaterMark: 256 * 1024 });
    // As from S3: a small part is there whole, packed.
    else yield Readable.from([await readFile(path)]).pipe(createGunzip({ chunkSize: 256 * 1024 }));
  }
}
