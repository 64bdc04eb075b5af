import { nearestName } from '../nearest.ts';

const DAY_MS = 86_400_000;

/**
 * Null where `name` is a time zone of the IANA database as EventBridge takes it: UTC, or a name with a slash. Otherwise what
 * is wrong, with the name that was probably meant.
 */
export function timeZoneFault(name: string): string | null {
  if (name === 'UTC') return null;
  const known = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const sameLetters = known.find((zone) => zone.toLowerCase() === name.toLowerCase());
  if (sameLetters === name) return null;
  if (sameLetters !== undefined) return `"${name}" is written "${sameLetters}"`;
  const resolved = resolve(name);
  // Older names and links, such as Asia/Kolkata and US/Pacific, are not listed and are names all the same.
  const isFullName = /^[A-Z]\w*(\/[A-Z][\w+-]*)+$/.test(name);
  if (resolved !== null && isFullName) return null;
  const meant = /^[+-]?\d/.test(name) ? undefined : (resolved ?? nearestName(name, known) ?? cityOf(name, known));
  const fix = meant === undefined ? 'write a name such as Europe/Berlin, or UTC' : `did you mean "${meant}"?`;
  return `"${name.slice(0, 60)}" is no time zone: ${fix}`;
}

/** The zone of a place that is named without its continent. */
const cityOf = (name: string, known: readonly string[]): string | undefined => {
  const city = name.trim().replaceAll(' ', '_').toLowerCase();
  return known.find((zone) => zone.toLowerCase().endsWith(`/${city}`));
};

function resolve(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Clocks of one time zone. Throws RangeError for a name that is none. */
export class ZonedClock {
  private readonly format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** What the clocks show at an instant, as if it were UTC: milliseconds since 1970. */
  wallMs(instantMs: number): number {
    const part: Record<string, number> = {};
    for (const { type, value } of this.format.formatToParts(instantMs)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /**
   * The instant at which the clocks show a time, given as if it were UTC: the first, where they are set back and show it twice; null, where they are set
   * forward and never show it.
   */
  instantOf(wall: number): number | null {
    // Offsets change at most once in two days: the one before and the one after are all that come into question.
    const offsets = [wall - DAY_MS, wall + DAY_MS].map((near) => this.wallMs(near) - near);
    const instants = offsets.map((offset) => wall - offset).filter((instant) => this.wallMs(instant) === wall);
    return instants.length === 0 ? null : Math.min(...instants);
  }
}
