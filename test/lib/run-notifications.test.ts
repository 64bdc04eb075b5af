import { describe, expect, it } from 'vitest';
import { runFinishedEvent } from '../../src/core/run-finished/run-finished.ts';
import { EVENT_SOURCE, RUN_FINISHED } from '../../src/core/schemas/run-finished.ts';
import { aRun, HOSTILE_TEXTS, RUN_ID } from '../contracts/samples.ts';
import { matches, type Transformer, transform } from './event-bridge.ts';
import { flatten, type Resource, resourcesOf, synthStage } from './synth.ts';

const settings = {
  email: 'team@example.com',
  slack: { workspaceId: 'T0123ABCD', channelId: 'C0123ABCD' },
};
const stage = synthStage({ notifications: settings }).evaluation;
const own = synthStage({
  stage: 'dev',
  notifications: { ...settings, bus: 'own', statuses: ['cancelled', 'passed'] },
}).evaluation;
const plain = synthStage().evaluation;

interface Target {
  readonly Arn: unknown;
  readonly RoleArn?: string;
  readonly DeadLetterConfig: { readonly Arn: unknown };
  readonly RetryPolicy: object;
  readonly InputTransformer: { readonly InputPathsMap: Record<string, string>; readonly InputTemplate: unknown };
}

function ruleOf(template: typeof stage): Resource {
  const [found, ...others] = resourcesOf(template, 'AWS::Events::Rule').filter(([id]) => /^Notifications/.test(id));
  if (found === undefined || others.length > 0) throw new Error('not exactly one rule of notifications');
  return found[1];
}
const targets = ruleOf(stage).Properties.Targets as Target[];
const targetTo = (topic: string): Target => {
  const found = targets.find(({ Arn }) => flatten(Arn).startsWith(`<Notifications${topic}`));
  if (found === undefined) throw new Error(`no target ${topic}`);
  return found;
};

/** As the bus delivers what our code tells. */
function delivered(changes: Parameters<typeof aRun>[0] = {}, stageName = 'prod') {
  const detail = runFinishedEvent(aRun({ status: 'failed', message: '5 of 40 rows failed', ...changes }), stageName);
  return {
    version: '0',
    id: 'e',
    source: EVENT_SOURCE,
    'detail-type': RUN_FINISHED,
    account: '1',
    region: 'r',
    detail,
  };
}

/** What a topic is given, with the API's address filled in. */
function message(topic: string, event: object): string {
  const { InputPathsMap, InputTemplate } = targetTo(topic).InputTransformer;
  const template = flatten(InputTemplate).replace(/<Http\w+\.ApiEndpoint>/, 'https://api.example.com');
  return transform({ InputPathsMap, InputTemplate: template } satisfies Transformer, event);
}

describe('the rule of a stage', () => {
  const pattern = ruleOf(stage).Properties.EventPattern;

  it.each([
    { status: 'failed', heard: true },
    { status: 'error', heard: true },
    { status: 'passed', heard: false },
    { status: 'cancelled', heard: false },
  ] as const)('hears of a run that is $status: $heard', ({ status, heard }) => {
    expect(matches(pattern, delivered({ status }))).toBe(heard);
  });

  it('hears of other statuses where the stage says so, on its own bus', () => {
    const rule = ruleOf(own);
    expect(matches(rule.Properties.EventPattern, delivered({ status: 'cancelled' }, 'dev'))).toBe(true);
    expect(matches(rule.Properties.EventPattern, delivered({ status: 'failed' }, 'dev'))).toBe(false);
    expect(flatten(rule.Properties.EventBusName)).toMatch(/^<NotificationsBus/);
    own.hasResourceProperties('AWS::Events::EventBus', { Name: 'assay-dev' });
    expect(ruleOf(stage).Properties.EventBusName).toBe('default');
  });

  it('hears neither of another stage nor of other events', () => {
    expect(matches(pattern, delivered({}, 'dev'))).toBe(false);
    expect(matches(pattern, { ...delivered(), source: 'other' })).toBe(false);
    expect(matches(pattern, { ...delivered(), 'detail-type': 'Assay Run Started' })).toBe(false);
  });

  it('keeps what could not be delivered, and asks topics by their own policy and no role', () => {
    for (const { DeadLetterConfig, RetryPolicy, RoleArn } of targets) {
      expect(flatten(DeadLetterConfig.Arn)).toMatch(/^<Failures/);
      expect(RetryPolicy).toEqual({ MaximumRetryAttempts: 20, MaximumEventAgeInSeconds: 21_600 });
      expect(RoleArn).toBeUndefined();
    }
    expect(targets).toHaveLength(2);
  });

  it('is not there, nor a topic or a key, where nobody is to be told', () => {
    for (const type of ['AWS::SNS::Topic', 'AWS::KMS::Key', 'AWS::Chatbot::SlackChannelConfiguration']) {
      plain.resourceCountIs(type, 0);
    }
    expect(() => ruleOf(plain)).toThrow();
    plain.resourceCountIs('AWS::Events::EventBus', 0);
  });
});

describe('a mail', () => {
  it('is a line that a person can read', () => {
    expect(JSON.parse(message('Mail', delivered({ ref: 'main' })))).toBe(
      `Assay: support-faq of shop failed. 5 of 40 rows failed. For ref main. https://api.example.com/api/runs/${RUN_ID}`,
    );
  });

  it.each(HOSTILE_TEXTS.map((text) => [text]))('survives whatever a run has to say: %j', (text) => {
    const made = JSON.parse(message('Mail', delivered({ message: text, ref: text, sha: text })));
    expect(made).toMatch(/^Assay: support-faq of shop failed\. /);
  });
});

describe('a post to Slack', () => {
  it('is in the schema of custom notifications, threaded by gate', () => {
    expect(JSON.parse(message('Slack', delivered()))).toEqual({
      version: '1.0',
      source: 'custom',
      content: {
        textType: 'client-markdown',
        title: 'support-faq of shop failed',
        description: `5 of 40 rows failed.\nhttps://api.example.com/api/runs/${RUN_ID}`,
      },
      metadata: { threadId: 'g-1', summary: 'support-faq of shop failed' },
    });
  });

  it.each([...HOSTILE_TEXTS, '<!channel> <@U123>', '"},"source":"x'].map((text) => [text]))(
    'survives whatever a run has to say, and calls nobody: %j',
    (text) => {
      const made = message('Slack', delivered({ message: text, ref: text }));
      expect(JSON.parse(made)).toMatchObject({ version: '1.0', source: 'custom' });
      expect(made).not.toMatch(/[<>]/);
    },
  );

  it('goes to the channel of the stage, where nobody can run anything', () => {
    stage.hasResourceProperties('AWS::Chatbot::SlackChannelConfiguration', {
      SlackWorkspaceId: 'T0123ABCD',
      SlackChannelId: 'C0123ABCD',
    });
    const [[, channel] = ['', { Type: '', Properties: {} }]] = resourcesOf(
      stage,
      'AWS::Chatbot::SlackChannelConfiguration',
    );
    expect((channel.Properties.GuardrailPolicies as unknown[]).map(flatten)).toEqual([
      'arn:<AWS::Partition>:iam::aws:policy/AWSDenyAll',
    ]);
    const roleId = flatten(channel.Properties.IamRoleArn).slice(1).split('.')[0] ?? '';
    const attached = resourcesOf(stage, 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy).includes(roleId),
    );
    expect(attached).toEqual([]);
    const role = resourcesOf(stage, 'AWS::IAM::Role').find(([id]) => id === roleId)?.[1];
    expect(role?.Properties.ManagedPolicyArns ?? []).toEqual([]);
  });
});

describe('topics', () => {
  const topics = resourcesOf(stage, 'AWS::SNS::Topic');

  it('are encrypted under a key that rotates and that EventBridge may use', () => {
    expect(topics).toHaveLength(2);
    for (const [, { Properties }] of topics) expect(flatten(Properties.KmsMasterKeyId)).toMatch(/^<NotificationsKey/);
    const [[, key] = ['', { Type: '', Properties: {} }]] = resourcesOf(stage, 'AWS::KMS::Key');
    expect(key.Properties.EnableKeyRotation).toBe(true);
    const { Statement } = key.Properties.KeyPolicy as { Statement: { Principal: unknown; Action: unknown }[] };
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Principal: { Service: 'events.amazonaws.com' },
        Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      }),
    );
  });

  it.each(topics.map(([id]) => [id]))('%s takes messages over TLS only, and from EventBridge', (id) => {
    const policy = resourcesOf(stage, 'AWS::SNS::TopicPolicy').find(([, { Properties }]) =>
      (Properties.Topics as unknown[]).map(flatten).includes(`<${id}>`),
    )?.[1];
    if (policy === undefined) throw new Error('no policy');
    const { Statement } = policy.Properties.PolicyDocument as { Statement: Record<string, unknown>[] };
    expect(Statement).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    );
    const allowed = Statement.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toMatchObject([{ Action: 'sns:Publish', Principal: { Service: 'events.amazonaws.com' } }]);
  });

  it('of mail has the address of the stage', () => {
    stage.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'team@example.com' });
  });
});

describe('settings', () => {
  it.each([
    { notifications: { email: 'nobody' } },
    { notifications: { statuses: [] } },
    { notifications: { statuses: ['red'] } },
    { notifications: { slack: { workspaceId: 'acme', channelId: 'C1' } } },
    { notifications: { slack: { workspaceId: 'T1' } } },
    { notifications: { bus: 'other' } },
    { evaluation: { maxConcurrentRuns: 0 } },
    { evaluation: { maxQueuedRuns: 0 } },
  ])('refuse %j', (wrong) => {
    expect(() => synthStage(wrong)).toThrow();
  });

  it('of a stage’s limits reach the functions', () => {
    const { evaluation } = synthStage({ evaluation: { maxConcurrentRuns: 3, maxQueuedRuns: 7 } });
    for (const [id, { Properties }] of resourcesOf(evaluation, 'AWS::Lambda::Function')) {
      const { Variables } = Properties.Environment as { Variables: Record<string, string> };
      expect(Variables, id).toMatchObject({
        MAX_CONCURRENT_RUNS: '3',
        MAX_QUEUED_RUNS: '7',
        EVENT_BUS_NAME: 'default',
      });
    }
  });
});
