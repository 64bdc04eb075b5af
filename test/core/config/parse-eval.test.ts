import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import { secretNamesOf } from '../../../src/core/config/secret-names.ts';
import { ConfigError } from '../../../src/core/errors.ts';

const minimal = {
  name: 'faq',
  type: 'metrics',
  dataset: './faq.csv',
  target: { url: 'https://api.example.com/answer' },
};

function faultsOf(raw: unknown) {
  try {
    parseEval(raw);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('the eval was accepted');
}

describe('defaults', () => {
  it('fills in what Plainwright documents for an HTTP target', () => {
    const config = parseEval(minimal);
    expect(config.targets).toEqual([
      {
        id: 'http',
        type: 'http',
        url: 'https://api.example.com/answer',
        method: 'POST',
        headers: {},
        body_template: { message: '{{input}}' },
        response_path: '$',
        allowed_status: [],
        timeout_s: 60,
        retries: 2,
      },
    ]);
    expect(config.metrics).toEqual(['correctness', 'relevance']);
    expect(config.concurrency).toBe(4);
    expect(config.sample_seed).toBe('faq');
    expect(config.baseline).toBe('last-pass');
  });

  it.each([
    { type: 'qa', scorers: ['contains', 'judge'] },
    { type: 'classification', scorers: ['contains'] },
    { type: 'instruction', scorers: ['judge'] },
    { type: 'metrics', scorers: [] },
  ])('scores $type by $scorers', ({ type, scorers }) => {
    expect(parseEval({ ...minimal, type }).scorers.map((scorer) => scorer.name)).toEqual(scorers);
  });

  it('adds the latency metric when a budget is set, and a budget of 5,000 ms when the metric is listed', () => {
    expect(parseEval({ ...minimal, latency_budget_ms: 3000 }).metrics).toEqual(['correctness', 'relevance', 'latency']);
    expect(parseEval({ ...minimal, metrics: ['latency'] }).latency_budget_ms).toBe(5000);
    expect(parseEval({ ...minimal, metrics: ['latency'], latency_budget_ms: 10 }).latency_budget_ms).toBe(10);
  });

  it('counts a metric named twice once', () => {
    expect(parseEval({ ...minimal, metrics: ['safety', 'correctness', 'safety'] }).metrics).toEqual([
      'safety',
      'correctness',
    ]);
  });

  it('numbers targets without an id by their type, around the given ids', () => {
    const targets = [
      { url: 'https://a.example' },
      { id: 'http-2', url: 'https://b.example' },
      { url: 'https://c.example' },
    ];
    expect(parseEval({ ...minimal, target: undefined, targets }).targets.map((target) => target.id)).toEqual([
      'http',
      'http-2',
      'http-3',
    ]);
  });

  it('takes one judge or a list, Bedrock when the type is left out', () => {
    expect(parseEval({ ...minimal, judge: { model: 'm' } }).judges).toMatchObject([{ type: 'bedrock', model: 'm' }]);
    expect(parseEval({ ...minimal, judge: [{ type: 'lexical' }] }).judges).toEqual([{ type: 'lexical' }]);
    expect(parseEval(minimal).judges).toEqual([]);
  });

  it('lets a flag override the judge, and a project stand in for a missing one', () => {
    const lexical = [{ type: 'lexical' as const }];
    expect(parseEval({ ...minimal, judge: { model: 'm' } }, { judges: { override: lexical } }).judges).toEqual(lexical);
    expect(parseEval({ ...minimal, judge: { model: 'm' } }, { judges: { fallback: lexical } }).judges).toMatchObject([
      { model: 'm' },
    ]);
    expect(parseEval(minimal, { judges: { fallback: lexical } }).judges).toEqual(lexical);
  });

  it('keeps the options of a scorer, and a second one of the same kind apart', () => {
    const { scorers } = parseEval({
      ...minimal,
      type: 'qa',
      scorers: [{ numeric: { extract: '(\\d+)$' } }, 'regex', { regex: { value: 'x' } }],
    });
    expect(scorers).toEqual([
      { name: 'numeric', check: 'numeric', options: { extract: '(\\d+)$' } },
      { name: 'regex', check: 'regex', options: {} },
      { name: 'regex-2', check: 'regex', options: { value: 'x' } },
    ]);
  });
});

describe('faults', () => {
  it.each([
    { name: 'an unknown key', raw: { ...minimal, treshold: 1 }, field: 'treshold', mentions: 'thresholds' },
    {
      name: 'an unknown target key',
      raw: { ...minimal, target: { url: 'https://a.example', respones_path: 'a' } },
      field: 'respones_path',
      mentions: 'response_path',
    },
    {
      name: 'an unknown threshold',
      raw: { ...minimal, thresholds: { min_scor: 1 } },
      field: 'thresholds.min_scor',
      mentions: 'min_score',
    },
    {
      name: 'an unknown metric',
      raw: { ...minimal, metrics: ['corectness'] },
      field: 'metrics.0',
      mentions: 'correctness',
    },
    {
      name: 'a metric list on another type',
      raw: { ...minimal, type: 'qa', metrics: ['safety'] },
      field: 'metrics',
      mentions: 'metrics',
    },
    { name: 'no metric left', raw: { ...minimal, metrics: [] }, field: 'metrics', mentions: 'no metric' },
    { name: 'no target', raw: { ...minimal, target: undefined }, field: 'targets', mentions: 'target' },
    {
      name: 'target and targets',
      raw: { ...minimal, targets: [{ url: 'https://a.example' }] },
      field: 'target',
      mentions: 'both',
    },
    {
      name: 'the same target id twice',
      raw: {
        ...minimal,
        target: undefined,
        targets: [
          { id: 'a', url: 'https://a.example' },
          { id: 'a', url: 'https://b.example' },
        ],
      },
      field: 'targets.1.id',
      mentions: '"a"',
    },
    { name: 'a bad eval name', raw: { ...minimal, name: 'Zoë’s bot' }, field: 'name', mentions: 'lower-case' },
    {
      name: 'a threshold of another type',
      raw: { ...minimal, thresholds: { min_tool_score: 1 } },
      field: 'thresholds.min_tool_score',
      mentions: 'metrics',
    },
    {
      name: 'a threshold above 1',
      raw: { ...minimal, thresholds: { min_score: 85 } },
      field: 'thresholds.min_score',
      mentions: '1',
    },
    {
      name: 'a threshold that is not finite',
      raw: { ...minimal, thresholds: { max_cost_usd: Number.NaN } },
      field: 'thresholds.max_cost_usd',
      mentions: 'number',
    },
    {
      name: 'a veto on a metric that is not scored',
      raw: { ...minimal, veto: ['safety'] },
      field: 'veto.0',
      mentions: 'safety',
    },
    {
      name: 'a floor on a metric that is not scored',
      raw: { ...minimal, thresholds: { metric_floors: { safety: 0.9 } } },
      field: 'thresholds.metric_floors.safety',
      mentions: 'safety',
    },
    {
      name: 'a judge of an unknown type',
      raw: { ...minimal, judge: { type: 'oracle' } },
      field: 'judge',
      mentions: '',
    },
  ])('refuses $name and says where', ({ raw, field, mentions }) => {
    const text = faultsOf(raw)
      .map((fault) => `${fault.field}: ${fault.message} ${fault.fix ?? ''}`)
      .join('\n');
    expect(text).toContain(field);
    expect(text).toContain(mentions);
  });

  it('shows all faults at once', () => {
    expect(
      faultsOf({ ...minimal, metrics: ['tone'], veto: ['safety'], thresholds: { min_tool_score: 1 } }),
    ).toHaveLength(3);
  });

  it('takes an interval with a margin, and a calibrated judge where there is a judge', () => {
    expect(() => parseEval({ ...minimal, decide_by: 'interval', margin: 0.03 })).not.toThrow();
    expect(faultsOf({ ...minimal, decide_by: 'interval' })).toMatchObject([{ field: 'margin' }]);
    const gated = { ...minimal, judge: { type: 'lexical' }, require_calibration: { min_kappa: 0.6, max_age_days: 30 } };
    expect(() => parseEval(gated)).not.toThrow();
    const { judge: _judge, ...unjudged } = gated;
    expect(faultsOf({ ...unjudged, type: 'classification', metrics: undefined })).toMatchObject([
      { field: 'require_calibration' },
    ]);
  });
  it('refuses to confirm flips against no baseline', () => {
    expect(() => parseEval({ ...minimal, confirm_trials: 2 })).not.toThrow();
    const [fault] = faultsOf({ ...minimal, confirm_trials: 2, baseline: 'none' });
    expect(fault).toMatchObject({ field: 'confirm_trials', fix: 'set baseline: last-pass, or drop it' });
  });
});

it.each([
  { what: 'a RAG eval', raw: { type: 'rag', metrics: ['faithfulness'], thresholds: { min_faithfulness_score: 0.75 } } },
  { what: 'an agent eval', raw: { type: 'agent', thresholds: { min_tool_score: 1 }, judge_scales: 'bedrock' } },
  { what: 'a jury', raw: { judge: [{ model: 'a' }, { model: 'b' }, { model: 'c' }] } },
])('takes $what', ({ raw }) => {
  expect(() => parseEval({ ...minimal, ...raw })).not.toThrow();
});

it('finds every secret a configuration refers to', () => {
  const target = {
    url: 'https://x.example/{{secrets.PATH_KEY}}',
    headers: { a: 'Bearer {{ secrets.API_KEY }}' },
    body_template: { deep: [{ k: '{{secrets.API_KEY}}' }] },
  };
  expect(secretNamesOf(parseEval({ ...minimal, target })).sort()).toEqual(['API_KEY', 'PATH_KEY']);
});
