import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/core/pace/retry-after.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');

it.each([
  { header: '7', ms: 7000 },
  { header: ' 1.5 ', ms: 1500 },
  { header: '0', ms: 0 },
  { header: 'Mon, 30 Nov 2026 12:00:09 GMT', ms: 9000 },
  { header: 'Thu, 01 Jan 1970 00:00:00 GMT', ms: 0 },
  { header: '1000000000', ms: 1e12 },
  { header: '-5', ms: null },
  { header: '1e9', ms: null },
  { header: '0x10', ms: null },
  { header: 'Infinity', ms: null },
  { header: 'soon', ms: null },
  { header: '', ms: null },
  { header: undefined, ms: null },
])('"$header" asks to wait $ms ms', ({ header, ms }) => {
  expect(parseRetryAfter(header, NOW)).toBe(ms);
});
