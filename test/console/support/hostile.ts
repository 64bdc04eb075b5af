import type { Cloud } from '../../e2e/support/cloud.ts';
import { startStubTarget } from '../../e2e/support/stub-target.ts';

/** What runs when a text becomes markup or script: it leaves a mark on the page. */
export const HOSTILE_ANSWERS: Readonly<Record<string, string>> = {
  script: '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">',
  close: '</script></pre></div></body><svg onload="window.hacked = 1"><a href="javascript:window.hacked=1">x</a>',
  bidi: 'user \u202e\u2066// admin\u2069\u2066 only \u200b\u202dtext',
  ansi: '\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007 \u0000\u0008\u007f',
  long: `begin ${'x'.repeat(1_048_576)} end`,
  lines: Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n'),
  word: 'ÄÖ🙂'.repeat(4_000),
};

/** A project of which every text that somebody else writes is an attack. */
export async function openHostile(cloud: Cloud): Promise<{ project: string; runId: string; close(): Promise<void> }> {
  const bot = await startStubTarget((question) => ({
    answer: HOSTILE_ANSWERS[/^(\w+)/.exec(question)?.[1] ?? ''] ?? '',
    more: { passages: [HOSTILE_ANSWERS.script, HOSTILE_ANSWERS.bidi] },
  }));
  const project = await cloud.project({
    id: 'hostile',
    name: `<b onclick="window.hacked = 1">${HOSTILE_ANSWERS.bidi}</b>`,
  });
  const rows = Object.keys(HOSTILE_ANSWERS).map((kind) => ({
    id: `${kind} "><img src=x onerror=window.hacked=1>`,
    input: `${kind} ${HOSTILE_ANSWERS.script} ${HOSTILE_ANSWERS.bidi}`,
    expected: HOSTILE_ANSWERS.close,
    tags: [HOSTILE_ANSWERS.script],
    metadata: { '<img src=x onerror=window.hacked=1>': HOSTILE_ANSWERS.bidi },
  }));
  await cloud.putDataset(project, 'attacks', rows);
  await cloud.putEval(project, {
    name: 'attacks',
    type: 'qa',
    description: `${HOSTILE_ANSWERS.close} ${HOSTILE_ANSWERS.bidi}`,
    tags: ['"><script>window.hacked=1</script>'],
    dataset: 'attacks',
    targets: [
      {
        type: 'http',
        url: bot.url,
        body_template: { question: '{{input}}' },
        response_path: 'answer',
        contexts_path: 'passages',
        retries: 0,
      },
    ],
    scorers: ['contains'],
    thresholds: { pass_rate: 0.5 },
  });
  const { runId } = await cloud.run(project, {
    ref: '<img src=x onerror=window.hacked=1>',
    triggered_by: HOSTILE_ANSWERS.bidi,
  });
  return { project, runId, close: bot.close };
}
