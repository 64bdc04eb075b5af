import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript: it runs where nothing is installed
import { junit, markdown, suitesOf } from '../../action/gate-text.mjs';

const hostile = 'a|b\n## x <img src=x> [l](http://e) @all `c` https://evil.example *b* \u202e\u0000';
const gate = {
  gate_run_id: 'g-1',
  gate: 'fail',
  reasons: [hostile],
  runs: [
    {
      run_id: 'r-1',
      eval: hostile,
      status: 'failed',
      quarantined: false,
      score: null,
      message: hostile,
      report_url: '/api/runs/r-1/report',
      details: {
        rows: { total: 2, passed: 1, failed: 1 },
        baseline: { score_change: null, regressed: 30, regressed_rows: [hostile, 'row-2'] },
      },
    },
  ],
};

describe('what people read of a gate', () => {
  it('holds no markup, mention or link of an answer, and no line of its own', () => {
    const text: string = markdown(gate, { url: 'https://app.example', project: hostile });
    expect(text).not.toMatch(/<img|@all|`c`|\*b\*|https:\/\/evil/);
    expect(text).not.toMatch(/[\p{Cf}\0]/u);
    expect(text).not.toMatch(/^## x/m);
    expect(text.match(/\]\(/g)).toHaveLength(1);
    expect(text).toContain('- … 28 more');
  });

  it('links the reports there are', () => {
    const [run] = gate.runs;
    const none = { ...run, report_url: null, details: null };
    expect(markdown({ ...gate, runs: [none] }, { url: 'https://app.example', project: 'p' })).not.toMatch(/\]\(|null/);
    const url = 'https://app.example/(x)';
    expect(markdown(gate, { url, project: 'p' })).toContain('](https://app.example/%28x%29/api/runs/r-1/report)');
  });

  it('is well-formed XML whatever the app says', () => {
    const text: string = junit(gate, hostile);
    expect(text).not.toMatch(/<img|\0/);
    expect(text).toMatch(/failures="1" errors="0"/);
  });

  it('takes suites out of JUnit files only', () => {
    expect(suitesOf('<?xml version="1.0"?>\n<testsuites name="x">\n  <testsuite/>\n</testsuites>\n')).toBe(
      '<testsuite/>',
    );
    for (const other of ['', '<html></html>', '<?xml version="1.0"?><testsuites>', '<Error/></testsuites>', '{}'])
      expect(suitesOf(other)).toBeNull();
  });

  it('is cut before GitHub refuses it', () => {
    const runs = Array.from({ length: 500 }, () => gate.runs[0]);
    expect(markdown({ ...gate, runs }, { url: 'https://app.example', project: 'p' }).length).toBeLessThan(65_536);
  });
});
