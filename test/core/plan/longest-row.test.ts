import { describe, expect, it } from 'vitest';
import { parseEval } from '../../../src/core/config/parse-eval.ts';
import { longestRowMs } from '../../../src/core/plan/longest-row.ts';

const evalWith = (fields: object) =>
  parseEval({ name: 'faq', type: 'qa', dataset: 'faq', scorers: ['contains'], ...fields });

describe('longest row', () => {
  it.each([
    { name: 'three attempts of 60 s at the defaults', fields: { target: { url: 'https://a.example' } }, seconds: 180 },
    {
      name: 'one attempt without retries',
      fields: { target: { url: 'https://a.example', timeout_s: 10, retries: 0 } },
      seconds: 10,
    },
    {
      name: 'the slowest of several targets, and two calls of the judge',
      fields: {
        targets: [
          { url: 'https://a.example', timeout_s: 5, retries: 1 },
          { url: 'https://b.example', timeout_s: 20, retries: 1 },
        ],
        judge: { model: 'm', timeout_s: 30 },
      },
      seconds: 100,
    },
    { name: 'nothing for recorded answers', fields: { target: { type: 'recorded' } }, seconds: 0 },
  ])('is $name', ({ fields, seconds }) => {
    expect(longestRowMs(evalWith(fields))).toBe(seconds * 1000);
  });
});
