import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deriveSessionId } from '../../../src/core/agent/session-id.ts';

const key = { salt: 's', rowId: 'refund-7', trial: 0, request: 0 };

it('names row and trial', () => {
  expect(deriveSessionId({ ...key, trial: 2 })).toMatch(/^assay-refund-7-3-[0-9a-f]{32}$/);
});

it('fits AgentCore and Bedrock Agents, whatever the row is called', () => {
  const rowId = fc.oneof(fc.string(), fc.string({ minLength: 200, unit: 'binary' }));
  fc.assert(
    fc.property(rowId, fc.nat({ max: 99 }), (id, trial) => {
      expect(deriveSessionId({ ...key, rowId: id, trial })).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9-]{32,99}$/);
    }),
  );
});

it.each([
  { name: 'run', other: { salt: 't' } },
  { name: 'row of the same letters', other: { rowId: 'refund 7' } },
  { name: 'trial', other: { trial: 1 } },
  { name: 'request', other: { request: 1 } },
])('differs for another $name', ({ other }) => {
  expect(deriveSessionId({ ...key, ...other })).not.toBe(deriveSessionId(key));
});
