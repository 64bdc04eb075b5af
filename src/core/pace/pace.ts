import * as z from 'zod';

/**
 * How fast one other side (a model in a Region, a host) may be asked, once it has throttled somebody. Times are wall
 * clock milliseconds, since several processes share one pace.
 */
export const PaceSchema = z.object({
  /** Requests a second. */
  rate: z.number().positive(),
  /** The rate at which it was throttled last; null: it has not been since there is a pace. */
  ceiling: z.number().positive().nullable(),
  /** When the next request may be sent, by whoever takes that slot. */
  next_ms: z.number(),
  /** When the rate was last lowered: what was let through before says nothing about the new rate. */
  lowered_ms: z.number(),
  /** Nobody sends before: the other side asked for it. */
  held_ms: z.number(),
  /** When somebody was last answered; when the pace began, if nobody was yet. */
  answered_ms: z.number(),
  /** When it was last asked for a slot. */
  used_ms: z.number(),
});
export type Pace = z.infer<typeof PaceSchema>;

/** One request in 20 seconds: a pace that cannot fall to nothing can recover by itself. */
export const MIN_RATE = 0.05;
const MAX_RATE = 100_000;
/** A server that asks for more is asked again after this long: who would wait a year waits for nothing. */
export const MAX_HOLD_MS = 60_000;
/** A pace that nobody has asked for in this time is over. */
export const IDLE_MS = 5 * 60_000;
/** Slots lie at most this far ahead, so that a lower rate is in force soon. */
const HORIZON_MS = 2_000;
/** Nobody takes more than this much of the schedule at once. */
const CHUNK_MS = 1_000;

export interface Throttle {
  readonly nowMs: number;
  /** When the throttled request was given its slot; null: it was sent without one, by a process that knew no pace. */
  readonly issuedMs: number | null;
  /** Requests that the process sent in the second before; what a new pace starts from. */
  readonly sentPerSecond: number;
  /** What the other side asked for; null: nothing. */
  readonly holdMs: number | null;
}

/**
 * The pace after a throttle: half the rate, once for all requests that were let through before. Null before: nobody was
 * paced, and half of what was sent is what is tried next.
 */
export function lowerPace(before: Pace | null, throttle: Throttle): Pace {
  const { nowMs, issuedMs, sentPerSecond } = throttle;
  const heldMs = nowMs + Math.min(MAX_HOLD_MS, Math.max(0, throttle.holdMs ?? 0));
  const pace = livePace(before, nowMs);
  if (pace === null) {
    const rate = boundedRate(sentPerSecond / 2);
    const times = { lowered_ms: nowMs, held_ms: heldMs, answered_ms: nowMs, used_ms: nowMs };
    return { rate, ceiling: null, next_ms: nowMs + 1000 / rate, ...times };
  }
  const held = { ...pace, held_ms: Math.max(pace.held_ms, heldMs) };
  // What was sent outside of the pace says nothing about it.
  if (issuedMs === null || issuedMs <= pace.lowered_ms) return held;
  return { ...held, rate: boundedRate(pace.rate / 2), ceiling: pace.rate, lowered_ms: nowMs };
}

export interface SlotRequest {
  readonly nowMs: number;
  /** Requests that wait. */
  readonly wanted: number;
  /** Answers since the last time, to requests that were let through at this rate. */
  readonly answered: number;
  /** When somebody of this process was last answered; null: never. */
  readonly answeredMs: number | null;
}

export interface Slots {
  readonly pace: Pace;
  /** When each may be sent; at most `wanted`, and none where the schedule is full as far as it may be taken. */
  readonly slots: readonly number[];
  /** When to ask again for what was not given. */
  readonly retryMs: number;
  /** False: a request now need not wait at all. */
  readonly isBinding: boolean;
}

/** Takes the next free slots of the schedule, evenly spaced. Time that nobody used is not made up for. */
export function takeSlots(before: Pace, request: SlotRequest): Slots {
  const { nowMs, wanted, answered, answeredMs } = request;
  const isBinding = before.next_ms > nowMs || before.held_ms > nowMs;
  // A rate that was not used up was not tried either.
  const rate = isBinding ? raisedRate(before, answered) : before.rate;
  const spacingMs = 1000 / rate;
  const startMs = Math.max(before.next_ms, before.held_ms, nowMs);
  const room = startMs > nowMs + HORIZON_MS ? 0 : Math.floor((nowMs + HORIZON_MS - startMs) / spacingMs) + 1;
  const chunk = Math.max(1, Math.ceil((rate * CHUNK_MS) / 1000));
  const given = Math.max(0, Math.min(wanted, room, chunk));
  const pace = {
    ...before,
    rate,
    next_ms: given === 0 ? before.next_ms : startMs + given * spacingMs,
    answered_ms: Math.max(before.answered_ms, answeredMs ?? 0),
    used_ms: Math.max(before.used_ms, nowMs),
  };
  const slots = Array.from({ length: given }, (_, index) => startMs + index * spacingMs);
  return { pace, slots, retryMs: startMs - HORIZON_MS, isBinding };
}

/** The pace while it is in force; null once nobody has used it for long. */
export function livePace(pace: Pace | null, nowMs: number): Pace | null {
  return pace === null || nowMs - pace.used_ms > IDLE_MS ? null : pace;
}

/**
 * Additive: so much a second while the schedule is used up. Quickly back to where it was throttled, slowly past it, and
 * once well past it quickly again: the limit is gone. Most quickly while it is not known where the limit is.
 */
function raisedRate({ rate: from, ceiling }: Pace, answered: number): number {
  let rate = from;
  for (let answer = 0; answer < Math.min(answered, 1000); answer += 1) {
    // `rate` answers make a second; a slow one's are too few to take so large a step.
    rate += Math.min(gainPerSecond(rate, ceiling) / rate, rate / 4);
  }
  return boundedRate(rate);
}

function gainPerSecond(rate: number, ceiling: number | null): number {
  if (ceiling === null) return rate;
  if (rate < 0.9 * ceiling) return 0.25 * ceiling;
  return rate < 1.25 * ceiling ? 0.1 * ceiling : rate;
}

function boundedRate(rate: number): number {
  return Math.min(MAX_RATE, Math.max(MIN_RATE, rate));
}
