import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, awaitGates, pollGates, postAtOnce } from '../../bench/load-calls.ts';
import { Cloud, qaEval, qaRows, rightAnswer } from './support/cloud.ts';
import { type StubTarget, startStubTarget } from './support/stub-target.ts';

const POSTS = 200;
const DELIVERIES = 40;
const POLLS = 500;

// A machine with other work may take its time, and put callers off: what counts is what comes of it.
describe('assay dev under load', { timeout: 240_000 }, () => {
  let cloud: Cloud;
  let target: StubTarget;
  let project: string;
  beforeAll(async () => {
    target = await startStubTarget((question) => ({ answer: rightAnswer(question) }));
    cloud = await Cloud.start();
    project = await cloud.project();
    await cloud.putDataset(project, 'faq', qaRows(2));
    await cloud.putEval(project, qaEval(target.url));
  });
  afterAll(async () => {
    await cloud.stop();
    await target.close();
  });

  it('starts one run a delivery out of 200 calls at once, and answers every poll meanwhile', async () => {
    const app = { url: cloud.stack.url, project, secret: cloud.secret(project) };
    const posted = await postAtOnce(app, { posts: POSTS, deliveries: DELIVERIES });
    expect(posted.flat().map(({ status }) => status)).toEqual(Array(POSTS).fill(202));
    const gatesOf = (answers: readonly Answered[]) => [...new Set(answers.map(({ gateRunId }) => gateRunId))];
    // The same delivery is told the same gate, another one another.
    expect(posted.map((answers) => gatesOf(answers).length)).toEqual(Array(DELIVERIES).fill(1));
    const gates = posted.flatMap((answers) => gatesOf(answers).map(String));
    expect(new Set(gates).size).toBe(DELIVERIES);

    const polled = await pollGates(app, gates, { polls: POLLS, atOnce: 50 });
    expect(polled).toHaveLength(POLLS);
    expect(polled.filter(({ status }) => status !== 200)).toEqual([]);
    expect(polled.map(({ gateRunId }) => gateRunId).sort()).toEqual(
      Array.from({ length: POLLS }, (_, n) => gates[n % DELIVERIES]).sort(),
    );
    expect(await awaitGates(app, gates, 200_000)).toEqual(Array(DELIVERIES).fill('pass'));

    const seen = new Set<string>();
    for (const gate of gates) {
      const run = (await cloud.stack.ports.registry.getGateRun(gate))?.run_ids ?? [];
      expect(run).toHaveLength(1);
      seen.add(String(run[0]));
    }
    const { items } = await cloud.expect(200, 'GET', `/api/evals/${project}.faq/trend?last=100`);
    expect(new Set(items.map(({ run_id }: { run_id: string }) => run_id))).toEqual(seen);
    // Nothing was asked twice, by no run that nobody knows of.
    expect(target.total()).toBe(DELIVERIES * 2);
  });

  it('refuses a delivery that comes again with another body, also when both come at once', async () => {
    const post = (sha: string) =>
      cloud.call(
        'POST',
        `/api/runs/webhook/${project}`,
        { sha },
        {
          'x-webhook-secret': cloud.secret(project),
          'x-assay-delivery': 'twice',
        },
      );
    const answers = await Promise.all(
      ['a', 'b', 'a', 'b', 'a', 'b'].map(async (sha) => ({ sha, ...(await post(sha)) })),
    );
    const [taken] = answers.filter(({ status }) => status === 202);
    expect(taken).toBeDefined();
    for (const { sha, status, body } of answers) {
      const wanted = sha === taken?.sha ? [202, taken.body.gate_run_id] : [409, undefined];
      expect([status, body.gate_run_id]).toEqual(wanted);
    }
  });
});
