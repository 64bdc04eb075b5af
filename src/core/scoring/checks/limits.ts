import * as z from 'zod';
import { showAgainst } from '../../gate/show-against.ts';
import type { TextCheck } from './text-check.ts';

const LatencyOptionsSchema = z.strictObject({ /** Exactly at it passes. */ max_ms: z.number().nonnegative() });
const CostOptionsSchema = z.strictObject({
  /** Of one answer; exactly at it passes. */ max_usd: z.number().nonnegative(),
});

/** The target answered within `max_ms`. */
export const latencyCheck: TextCheck<z.infer<typeof LatencyOptionsSchema>> = {
  name: 'latency',
  options: LatencyOptionsSchema,
  needsExpected: false,
  compare(_answer, _expected, { max_ms: most }, _rules, { latencyMs }) {
    if (latencyMs == null) return { passed: false, isError: true, reason: 'the time of this answer is not known' };
    const { value, limit } = showAgainst(latencyMs, most, 'maximum', 1);
    return { passed: latencyMs <= most, reason: `${value} ms, at most ${limit} ms`, rawScore: latencyMs };
  },
};

/** The answer cost at most `max_usd`. What is not metered never passes. */
export const costCheck: TextCheck<z.infer<typeof CostOptionsSchema>> = {
  name: 'cost',
  options: CostOptionsSchema,
  needsExpected: false,
  compare(_answer, _expected, { max_usd: most }, _rules, { costUsd }) {
    if (costUsd == null) return { passed: false, isError: true, reason: 'the cost of this answer is not known' };
    const { value, limit } = showAgainst(costUsd, most, 'maximum', 6);
    return { passed: costUsd <= most, reason: `$${value}, at most $${limit}`, rawScore: costUsd };
  },
};
