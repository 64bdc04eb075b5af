import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../src/core/config/parse-policy.ts';
import { ConfigError, type Fault } from '../../../src/core/errors.ts';
import { resolvePolicy } from '../../../src/core/scoring/policy.ts';
import { evalConfig } from '../scoring/build.ts';

const stored = evalConfig({
  type: 'metrics',
  metrics: ['correctness', 'safety'],
  thresholds: { min_score: 0.9 },
  veto: ['safety'],
});

function faultsOf(raw: unknown): readonly Fault[] {
  try {
    parsePolicy(raw, stored);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('a policy file', () => {
  it('is the whole policy: what it leaves out takes the default, not what the run had', () => {
    const under = parsePolicy({ thresholds: { pass_rate: 0.5 } }, stored);
    expect(resolvePolicy(under)).toMatchObject({ min_score: 0.8, row_mark: 0.8, pass_rate: 0.5, veto: [] });
  });
  it.each([{}, null, undefined])('may be empty (%j)', (raw) => {
    expect(resolvePolicy(parsePolicy(raw, stored))).toEqual(
      resolvePolicy(evalConfig({ type: 'metrics', metrics: ['correctness', 'safety'] })),
    );
  });
  it('may be the eval file itself, of which only the policy counts', () => {
    const under = parsePolicy(
      { name: 'x', type: 'metrics', dataset: 'd.csv', margin: 0.1, decide_by: 'interval' },
      stored,
    );
    expect(resolvePolicy(under)).toMatchObject({ decide_by: 'interval', margin: 0.1 });
  });
  it('keeps the margin and the calibration of nobody else', () => {
    const asked = { ...stored, margin: 0.2, require_calibration: { min_kappa: 0.5, max_age_days: 1 } };
    const under = parsePolicy({}, asked);
    expect(under.margin).toBeUndefined();
    expect(resolvePolicy(under).require_calibration).toBeUndefined();
  });
  it.each([
    { name: 'a mistyped key', raw: { treshold: {} }, field: 'treshold', says: 'did you mean "thresholds"?' },
    {
      name: 'a mistyped threshold',
      raw: { thresholds: { pas_rate: 1 } },
      field: 'thresholds.pas_rate',
      says: 'pass_rate',
    },
    { name: 'a value out of range', raw: { thresholds: { pass_rate: 85 } }, field: 'thresholds.pass_rate', says: '' },
    { name: 'a veto on nothing', raw: { veto: ['sefety'] }, field: 'veto.0', says: 'correctness, safety' },
    {
      name: 'a floor of nothing',
      raw: { thresholds: { metric_floors: { tone: 1 } } },
      field: 'thresholds.metric_floors.tone',
      says: 'not among the metrics',
    },
    { name: 'an interval without a margin', raw: { decide_by: 'interval' }, field: 'margin', says: 'margin: 0.03' },
    { name: 'the eval of another type', raw: { type: 'rag', dataset: 'd' }, field: 'type', says: 'type rag' },
    { name: 'a list', raw: [1], field: '', says: '' },
  ])('refuses $name', ({ raw, field, says }) => {
    const [fault] = faultsOf(raw);
    expect(fault?.field ?? '').toBe(field);
    expect(`${fault?.message} ${fault?.fix ?? ''}`).toContain(says);
  });
});
