import type { Cloud } from '../../e2e/support/cloud.ts';
import { type StubReply, startStubTarget } from '../../e2e/support/stub-target.ts';

/** A shop's project with evals that ran several times against a bot that gets worse. */
export interface Shop {
  readonly project: string;
  /** Runs of `support-faq`, oldest first; the last one regressed. */
  readonly runs: readonly string[];
  readonly agentRun: string;
  close(): Promise<void>;
}

const TOPICS = ['returns', 'shipping', 'warranty', 'payment', 'gift cards', 'opening hours', 'repairs', 'accounts'];
const QUESTIONS = TOPICS.flatMap((topic, at) => [
  {
    id: `${topic.replace(' ', '-')}-1`,
    tag: topic,
    input: `How do ${topic} work when I ordered from abroad?`,
    expected: `within ${at + 10} days`,
  },
  {
    id: `${topic.replace(' ', '-')}-2`,
    tag: topic,
    input: `What does the policy say about ${topic}?`,
    expected: `section ${at + 1}`,
  },
  {
    id: `${topic.replace(' ', '-')}-3`,
    tag: topic,
    input: `Who do I write to about ${topic}?`,
    expected: `${topic.split(' ')[0]}@shop.example`,
  },
]);

/** Rows that each release of the bot gets wrong. */
const RELEASES: readonly (readonly number[])[] = [
  [3, 8, 15, 20],
  [3, 8, 15],
  [3, 8],
  [3, 8],
  [8],
  [3, 8],
  [8],
  [8, 15],
  [8],
  [],
  [8],
  [1, 4, 8, 13, 17, 21],
];

export async function openShop(cloud: Cloud, releases = RELEASES): Promise<Shop> {
  let wrong: readonly number[] = [];
  const bot = await startStubTarget((question) => answer(question, wrong));
  const project = await cloud.project({ id: 'shop', name: 'Corner shop', default_pass_mark: 0.85 });
  const rows = QUESTIONS.map(({ id, tag, input, expected }) => ({ id, input, expected, tags: [tag] }));
  await cloud.putDataset(project, 'support-faq', rows);
  await cloud.putEval(project, {
    name: 'support-faq',
    type: 'qa',
    description: 'The support assistant answers the top FAQ questions correctly, from the policy.',
    dataset: 'support-faq',
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
    scorers: ['contains', { 'rouge-l': { threshold: 0.02 } }],
    thresholds: { pass_rate: 0.85, fail_on_regression: true },
  });
  const runs: string[] = [];
  for (const [at, release] of releases.entries()) {
    wrong = release;
    const { runId } = await cloud.run(project, {
      evals: ['support-faq'],
      ref: 'refs/heads/main',
      sha: sha(at),
      triggered_by: 'github',
    });
    runs.push(runId);
  }
  await openOthers(cloud, project, bot.url);
  const agentRun = await openAgent(cloud, project);
  return { project, runs, agentRun, close: bot.close };
}

function answer(question: string, wrong: readonly number[]): StubReply {
  const at = QUESTIONS.findIndex(({ input }) => input === question);
  const found = QUESTIONS[at];
  if (found === undefined) return { answer: 'I do not know.' };
  const passages = [
    `Policy, ${found.tag}: customers may ask within ${Math.floor(at / 3) + 10} days.`,
    `Handbook: ${found.tag} is handled by the service desk; see ${found.expected}.`,
  ];
  const right = `Thank you for asking. As our policy says, it is ${found.expected}, and we are glad to help.`;
  const other = 'Thank you for asking. Please call the hotline, where a colleague will look into it for you.';
  return { answer: wrong.includes(at) ? other : right, more: { passages } };
}

async function openOthers(cloud: Cloud, project: string, url: string): Promise<void> {
  const target = { type: 'http', url, body_template: { question: '{{input}}' }, response_path: 'answer', retries: 0 };
  const common = { type: 'qa', dataset: 'support-faq', scorers: ['contains'] };
  await cloud.putEval(project, {
    ...common,
    name: 'tone-of-voice',
    description: 'Answers are friendly and name no competitor.',
    targets: [target],
    scorers: ['contains'],
    thresholds: { pass_rate: 0.5 },
  });
  await cloud.putEval(project, {
    ...common,
    name: 'returns-hotline',
    description: 'The voice line, by its HTTP bridge.',
    targets: [{ ...target, url: 'http://127.0.0.1:9/answer' }],
    thresholds: { pass_rate: 0.9 },
  });
  await cloud.putEval(project, {
    ...common,
    name: 'nightly-large',
    active: false,
    targets: [target],
    thresholds: { pass_rate: 0.9 },
  });
  for (let run = 0; run < 4; run += 1)
    await cloud.run(project, { evals: ['tone-of-voice'], ref: 'refs/heads/main', sha: sha(run) });
  await cloud.run(project, { evals: ['returns-hotline'], ref: 'refs/heads/voice', sha: sha(9) });
}

/** An agent whose steps are on record. */
async function openAgent(cloud: Cloud, project: string): Promise<string> {
  const steps = [
    { type: 'thought', content: 'The guest wants to move the booking. I look it up first.' },
    {
      type: 'tool_call',
      tool_call: { name: 'find_booking', arguments: { id: 'B-7' }, result: { id: 'B-7', nights: 2 } },
    },
    {
      type: 'tool_call',
      tool_call: { name: 'change_booking', arguments: { id: 'B-7', nights: 3 }, error: 'no room on that day' },
    },
    { type: 'answer', content: 'There is no room on that day.' },
  ];
  const trajectory = { steps, final_answer: 'There is no room on that day.' };
  await cloud.putDataset(project, 'bookings', [
    {
      id: 'move-1',
      input: 'Please add a night to B-7.',
      expected: 'no room',
      trajectory,
      checks: { must_call: ['find_booking'] },
    },
  ]);
  await cloud.putEval(project, {
    name: 'booking-agent',
    type: 'agent',
    description: 'The booking agent looks before it changes anything.',
    dataset: 'bookings',
    targets: [{ type: 'recorded' }],
    thresholds: { min_score: 0.5 },
  });
  const { runId } = await cloud.run(project, { evals: ['booking-agent'] });
  return runId;
}

function sha(at: number): string {
  return (0x4f2a9c1 + at * 0x1d3b57).toString(16).padStart(7, '0');
}
