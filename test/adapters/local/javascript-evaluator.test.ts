import { afterAll, describe, expect, it } from 'vitest';
import { JavaScriptEvaluator } from '../../../src/adapters/local/javascript-evaluator.ts';
import type { JsonObject } from '../../../src/core/json.ts';

const evaluator = new JavaScriptEvaluator({ timeoutMs: 300, memoryMb: 64 });
afterAll(() => evaluator.close());

const variables: JsonObject = {
  output: 'The limit is 256 KB.',
  expected: '256 KB',
  input: 'q',
  contexts: ['a'],
  row: { id: 'r1', metadata: { max: 30 } },
  context: { vars: { topic: 'limit' } },
};
const evaluate = (source: string, threshold?: number) => evaluator.evaluate({ source, variables, threshold });

describe('expressions', () => {
  it.each([
    { source: 'output.includes(expected)', passed: true },
    { source: 'output.length > 100', passed: false },
    { source: 'output.length < row.metadata.max', passed: true },
    { source: 'contexts.length === 1 && output.includes(context.vars.topic)', passed: true },
    { source: 'const words = output.split(" ");\nreturn words.length === 5;', passed: true },
    { source: '({ pass: false, reason: "too long" })', passed: false },
    { source: 'output.includes("256") // a comment', passed: true },
  ])('$source', async ({ source, passed }) => {
    expect(await evaluator.check(source)).toBeNull();
    expect(await evaluate(source)).toMatchObject({ status: 'ruled', passed });
  });

  it('compares a number with the threshold', async () => {
    expect(await evaluate('output.length / 100', 0.2)).toMatchObject({ passed: true, rawScore: 0.2 });
    expect(await evaluate('output.length / 100', 0.21)).toMatchObject({ passed: false });
  });

  it.each([
    'output.length', // a number without a threshold
    '"yes"',
    'undefined',
    'NaN',
    'nope.length',
    'throw new Error("x")',
    'Promise.resolve(true)',
    '(() => { throw { toString() { throw 1 } } })()',
  ])('is an error, neither passed nor failed: %s', async (source) => {
    expect((await evaluate(source)).status).toBe('error');
  });

  it.each(['output.length >', 'if (true) {', 'import("node:fs")'])('is refused before a run: %s', async (source) => {
    expect(await evaluator.check(source)).not.toBeNull();
  });
});

describe('bounds', () => {
  it.each([
    'process.exit()',
    'require("node:fs")',
    'fetch("http://127.0.0.1")',
    'setTimeout(() => {}, 1) || true',
    'eval("true")',
    'new Function("return true")()',
    'this.constructor.constructor("return process")().pid > 0',
    '(() => { try { null.x } catch (error) { return error.constructor.constructor("return process")().pid > 0 } })()',
    'new WebAssembly.Memory({ initial: 1 }) !== null',
    'new ArrayBuffer(1e9).byteLength > 0',
    'new SharedArrayBuffer(1e9).byteLength > 0',
  ])('has no way to %s', async (source) => {
    expect((await evaluate(source)).status).toBe('error');
  });

  it.each([
    'typeof process === "undefined" && typeof globalThis.process === "undefined" && typeof console === "undefined"',
  ])('%s', async (source) => {
    expect(await evaluate(source)).toMatchObject({ status: 'ruled', passed: true });
  });

  it.each([
    '(() => { for (;;); })()',
    '/(a+)+$/.test("a".repeat(60) + "b")',
    // Its chain of promises grows: whether time or memory ends it first depends on the machine.
    '(() => { Promise.resolve().then(function again() { return Promise.resolve().then(again) }); return true })()',
  ])('ends what does not end: %s', async (source) => {
    expect(await evaluate(source)).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/no end after 300 ms|for want of more than 64 MB of memory/),
    });
  });

  it('goes on after an expression that ate all memory', async () => {
    const hungry = evaluate('(() => { const all = []; for (;;) all.push(new Array(10000).fill(1)); })()');
    const next = evaluate('output.length > 0');
    expect((await hungry).status).toBe('error');
    expect(await next).toMatchObject({ status: 'ruled', passed: true });
  });

  it('survives a single allocation beyond all memory', async () => {
    expect((await evaluate('Array(2 ** 31).fill(0).length > 0')).status).toBe('error');
    expect(await evaluate('output.length > 0')).toMatchObject({ status: 'ruled', passed: true });
  });

  it('keeps nothing from one answer to the next', async () => {
    await evaluate(
      '(() => { globalThis.seen = 1; Array.prototype.includes = () => true; String.prototype.includes = () => true; return true })()',
    );
    expect(await evaluate('typeof seen === "undefined" && !output.includes("zzz")')).toMatchObject({ passed: true });
  });

  it('answers many at once, each its own', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, (_, index) => evaluate(`${index} % 2 === 0`)));
    expect(all.map((result) => result.status === 'ruled' && result.passed)).toEqual(
      all.map((_, index) => index % 2 === 0),
    );
  });
});
