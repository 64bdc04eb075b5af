import { describe, expect, it } from 'vitest';
import { parseEvalFile } from '../../../src/core/config/parse-eval.ts';
import { ConfigError, formatFault } from '../../../src/core/errors.ts';

function faultOf(changes: object): string {
  try {
    parseEvalFile({ name: 'faq', type: 'qa', dataset: 'faq.csv', target: { url: 'https://a.example' }, ...changes });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(formatFault).join('\n');
    throw error;
  }
  return 'accepted';
}

describe('what a schema refuses, in plain words', () => {
  it.each([
    [{ trials: 0 }, 'field trials: must be at least 1, not 0'],
    [{ trials: 101 }, 'field trials: must be at most 100, not 101'],
    [{ trials: 1.5 }, 'field trials: must be a whole number, not 1.5'],
    [{ trials: 'two' }, 'field trials: must be a number, not "two"'],
    [{ trials: '2' }, 'field trials: must be a number, not "2"'],
    [{ concurrency: Number.NaN }, 'field concurrency: must be a number, not NaN'],
    [{ latency_budget_ms: 0 }, 'field latency_budget_ms: must be more than 0, not 0'],
    [{ thresholds: { pass_rate: 80 } }, 'field thresholds.pass_rate: must be at most 1, not 80'],
    [{ active: 'yes' }, 'field active: must be true or false, not "yes"'],
    [{ targets: [] }, 'field targets: must not be empty'],
    [{ targets: 'x'.repeat(50) }, 'field targets: must be a list, not a text'],
    [{ dataset: '' }, 'field dataset: must not be empty'],
    [{ labels: [''] }, 'field labels.0: must not be empty'],
    [{ target: { url: 1 } }, 'field target.url: must be a text, not 1'],
    [{ target: {} }, 'field target.url: "url" is missing (string)'],
    [{ type: 'qaa' }, 'field type: unknown type "qaa" (did you mean "qa"?)'],
    [{ target: { type: 'htp', url: 'x' } }, 'field target.type: unknown type "htp" (did you mean "http"?)'],
    [{ target: { type: 3 } }, /^field target\.type: must be one of http, recorded, .+, not 3$/],
    [
      { judge: [{ type: 'lexical' }, { type: 'x' }] },
      'field judge.1.type: unknown type "x" (one of bedrock, openai, lexical, recorded)',
    ],
    [{ text_match: 'literl' }, 'field text_match: unknown text_match "literl" (did you mean "literal"?)'],
    [{ judge: 'nova' }, 'field judge: must be an object, not "nova"'],
  ])('%j', (changes, says) => {
    if (typeof says === 'string') expect(faultOf(changes)).toBe(says);
    else expect(faultOf(changes)).toMatch(says);
  });
});
