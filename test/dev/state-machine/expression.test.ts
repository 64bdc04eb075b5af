import fc from 'fast-check';
import jsonata from 'jsonata';
import { describe, expect, it } from 'vitest';
import { parseExpression } from '../../../src/dev/state-machine/expression.ts';

const names = ['a', 'b', 'length', '__proto__'];
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, 'x'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('any')),
  ),
})).any;

describe('parseExpression', () => {
  it('looks plain paths up as JSONata does', async () => {
    await fc.assert(
      fc.asyncProperty(value, fc.array(fc.constantFrom(...names), { maxLength: 4 }), async (input, path) => {
        const source = ['$states', ...path.map((name) => `\`${name}\``)].join('.');
        const bindings = { states: input };
        const expected = await jsonata(source).evaluate(undefined, bindings);
        expect(JSON.stringify(await parseExpression(source).evaluate(bindings))).toBe(JSON.stringify(expected));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    { source: '$states.a[]', input: { a: 1 }, output: [1] },
    { source: '$states.a[0]', input: { a: [1, 2] }, output: 1 },
    { source: '$states.a.b', input: { a: [{ b: 1 }, { b: 2 }] }, output: [1, 2] },
    { source: '$states.*', input: { a: 1 }, output: 1 },
    { source: '$states^(a)', input: [{ a: 2 }, { a: 1 }], output: [{ a: 1 }, { a: 2 }] },
    { source: '$states{a: b}', input: { a: 'k', b: 1 }, output: { k: 1 } },
    { source: '$states.a@$x.$x', input: { a: 1 }, output: 1 },
    { source: '$states.a#$i.$i', input: { a: [7, 8] }, output: [0, 1] },
  ])('leaves $source to JSONata', async ({ source, input, output }) => {
    // As JSON: JSONata marks its arrays.
    expect(JSON.stringify(await parseExpression(source).evaluate({ states: input }))).toBe(JSON.stringify(output));
  });
});
