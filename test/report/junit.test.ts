import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../src/core/schemas/result.ts';
import { scored } from '../../src/core/schemas/score.ts';
import type { RunSummary } from '../../src/core/schemas/summary.ts';
import { renderJUnit } from '../../src/report/junit.ts';
import { collect, finishedRun, rowResult, streamOf } from './finished-run.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

const render = (summary: RunSummary, ...rows: RowResult[]) =>
  collect(renderJUnit({ summary, results: streamOf(...rows) }));

describe('the JUnit file', () => {
  it('counts one case a result and one for the gate', async () => {
    const xml = await render(
      finishedRun(),
      rowResult(),
      rowResult({ row_id: 'b', passed: false, failed_checks: ['contains'] }),
      rowResult({ row_id: 'c', passed: false, status: 'target_error', cause: 'timeout', error: 'no answer in 60 s' }),
      rowResult({ row_id: 'd', passed: false, status: 'judge_error', cause: 'unparsable', score: null }),
      rowResult({ row_id: 'e', passed: false, status: 'skipped', cause: 'time budget', score: null, latency_ms: null }),
    );
    expect(xml).toContain('<testsuite name="support-faq" tests="6" failures="1" errors="2" skipped="1"');
    expect(xml).toContain('<failure message="failed: contains">');
    expect(xml).toContain('<error message="target error: timeout">');
    expect(xml).toContain('<error message="judge error: unparsable">');
    expect(xml).toContain('<skipped message="time budget"/>');
  });

  it.each([
    { gate: 'pass' as const, expected: /name="gate" time="0.000"\/>/ },
    { gate: 'fail' as const, expected: /name="gate" time="0.000">\s*<failure message="gate failed: too low">/ },
    {
      gate: 'error' as const,
      expected: /name="gate" time="0.000">\s*<error message="gate could not decide: too low">/,
    },
  ])('shows a gate that says $gate even though every row passes', async ({ gate, expected }) => {
    const outcome = gate;
    const decision = { outcome, policy_hash: 'p', reasons: [] };
    expect(await render(finishedRun({ gate, decision, message: 'too low' }), rowResult())).toMatch(expected);
  });

  it('does not fail CI for a quarantined eval', async () => {
    const xml = await render(finishedRun({ gate: 'fail', quarantined: true, message: 'too low' }));
    expect(xml).toContain('failures="0" errors="0" skipped="1"');
    expect(xml).toContain('quarantined, does not decide: too low');
  });

  it('keeps targets, trials and confirmations apart', async () => {
    const xml = await render(
      finishedRun(),
      rowResult({ target: 'nova', trial: 1 }),
      rowResult({ target: 'haiku', trial: 0, phase: 'confirm' }),
    );
    expect(xml).toContain('classname="support-faq.nova" name="row-1 · trial 2"');
    expect(xml).toContain('classname="support-faq.haiku" name="row-1 · confirm"');
  });

  it('starts another suite after 10,000 cases', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => rowResult({ row_id: `r${index}`, index }));
    const xml = await render(finishedRun(), ...rows);
    expect(xml).toContain('<testsuite name="support-faq" tests="10000"');
    expect(xml).toContain('<testsuite name="support-faq part 2" tests="1"');
  });

  it.each(HOSTILE_TEXTS.map((text) => ({ text })))('stays XML with $text', async ({ text }) => {
    const bad = { passed: false, scores: { [text]: scored(0, text) }, failed_checks: [text] };
    const xml = await render(
      finishedRun({ message: text, ref: text, gate: 'fail' }),
      rowResult({ row_id: text, input: text, output: text, expected: text, target: text, ...bad }),
    );
    // What is left when every tag is taken away, attributes in quotes, holds nothing that is markup.
    const bare = xml.replace(/<\/?[a-z]+(?: [a-z]+="[^"<]*")*\/?>|<\?xml[^?]*\?>/g, '');
    expect(bare).not.toMatch(/[<>]/);
    expect(bare.replace(/&(?:amp|lt|gt|quot|#10|#9);/g, '')).not.toContain('&');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/);
    expect(xml.isWellFormed()).toBe(true);
  });

  it('cuts an answer of a megabyte', async () => {
    const xml = await render(finishedRun(), rowResult({ passed: false, output: 'x'.repeat(1_000_000) }));
    expect(xml.length).toBeLessThan(20_000);
  });
});
