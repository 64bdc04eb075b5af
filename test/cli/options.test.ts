import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../src/cli/options.ts';
import { ConfigError } from '../../src/core/errors.ts';

const OPTIONS = { trials: { type: 'string' }, json: { type: 'boolean' }, 'judge-url': { type: 'string' } } as const;
const parse = (...args: string[]) => parseOptions(args, OPTIONS);
const messageOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('options', () => {
  it('reads texts, flags, counts and the one argument, in any order', () => {
    const options = parse('--json', 'eval.yaml', '--trials=3', '--judge-url', 'http://127.0.0.1/v1');
    expect(options.only('eval file', '')).toBe('eval.yaml');
    expect(options.flag('json')).toBe(true);
    expect(options.count('trials')).toBe(3);
    expect(options.text('judge-url')).toBe('http://127.0.0.1/v1');
    expect(options.count('missing')).toBeUndefined();
  });

  it.each([
    { args: ['--trails', '3'], says: 'did you mean --trials?' },
    { args: ['--judge_url', 'x'], says: 'did you mean --judge-url?' },
    { args: ['--zzz'], says: 'options: --trials, --json, --judge-url' },
    { args: ['--trials'], says: '--trials' },
    { args: ['--json=yes'], says: '--json' },
  ])('refuses $args and says what there is', ({ args, says }) => {
    expect(messageOf(() => parse(...args))).toContain(says);
  });

  it.each(['0', '-1', '1.5', 'three', '1e3', ' 3', '99999999999', ''])('takes no "%s" for a count', (value) => {
    expect(messageOf(() => parse(`--trials=${value}`).count('trials'))).toContain(
      '--trials takes a whole number from 1',
    );
  });

  it('names the largest count', () => {
    expect(messageOf(() => parse('--trials', '101').count('trials', 100))).toContain('from 1 to 100, not "101"');
    expect(parse('--trials', '100').count('trials', 100)).toBe(100);
  });

  it('refuses no argument and a second one', () => {
    expect(messageOf(() => parse().only('eval file', 'assay run <eval.yaml>'))).toBe(
      'no eval file given (assay run <eval.yaml>)',
    );
    expect(messageOf(() => parse('a', 'b').only('eval file', 'x'))).toContain('one eval file at a time, not also "b"');
  });
});
