import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { SlackChannelConfiguration } from 'aws-cdk-lib/aws-chatbot';
import { EventBus, EventField, type IEventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EVENT_SOURCE, RUN_FINISHED } from '../../src/core/schemas/run-finished.ts';
import type { StageConfig } from '../config.ts';
import { eventBusName } from './event-access.ts';

export interface RunNotificationsProps {
  readonly config: StageConfig;
  /** Base of the API's paths. */
  readonly apiUrl: string;
  /** Receives events that could not be delivered. */
  readonly undelivered: IQueue;
}

/**
 * The bus that ends of runs are told on and, where the stage names a mail address or a Slack channel, a rule that sends
 * them there. Also a pattern for rules of one's own: docs/notifications.md.
 */
export class RunNotifications extends Construct {
  readonly bus: IEventBus;
  readonly #props: RunNotificationsProps;

  constructor(scope: Construct, id: string, props: RunNotificationsProps) {
    super(scope, id);
    this.#props = props;
    const { email, slack } = props.config.notifications;
    this.bus = this.createBus();
    if (email === undefined && slack === undefined) return;
    // Events cannot be published through the key that AWS keeps for SNS.
    const key = new Key(this, 'Key', {
      description: 'Assay: notifications of runs',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY, // messages are on their way and nowhere kept
    });
    const rule = this.createRule(this.bus);
    if (email !== undefined) this.sendMail(email, rule, key);
    if (slack !== undefined) this.postToSlack(slack, rule, key);
  }

  private createBus(): IEventBus {
    const { config } = this.#props;
    const name = eventBusName(config);
    if (config.notifications.bus === 'own') return new EventBus(this, 'Bus', { eventBusName: name });
    return EventBus.fromEventBusName(this, 'Bus', name);
  }

  private createRule(bus: IEventBus): Rule {
    const { stage, notifications } = this.#props.config;
    return new Rule(this, 'RunFinished', {
      description: 'Runs of Assay that people want to hear of',
      eventBus: bus,
      eventPattern: {
        source: [EVENT_SOURCE],
        detailType: [RUN_FINISHED],
        // Stages of one account may share a bus.
        detail: { stage: [stage], status: notifications.statuses },
      },
    });
  }

  /** SNS sends what the rule makes as the mail's body, so it is one line of text. */
  private sendMail(email: string, rule: Rule, key: Key): void {
    const topic = this.createTopic('Mail', key);
    topic.addSubscription(new EmailSubscription(email));
    const { title, text, runUrl } = this.fields();
    rule.addTarget(this.target(topic, RuleTargetInput.fromText(`Assay: ${title}. ${text} ${runUrl}`)));
  }

  /** In the schema that Amazon Q Developer in chat applications reads; anything else it drops without a word. */
  private postToSlack(slack: NonNullable<StageConfig['notifications']['slack']>, rule: Rule, key: Key): void {
    const topic = this.createTopic('Slack', key);
    const { title, text, runUrl, gateRunId } = this.fields();
    const message = {
      version: '1.0',
      source: 'custom',
      content: { textType: 'client-markdown', title, description: `${text}\n${runUrl}` },
      metadata: { threadId: gateRunId, summary: title },
    };
    rule.addTarget(this.target(topic, RuleTargetInput.fromObject(message)));
    new SlackChannelConfiguration(this, 'Channel', {
      slackChannelConfigurationName: `assay-${this.#props.config.stage}`,
      slackWorkspaceId: slack.workspaceId,
      slackChannelId: slack.channelId,
      notificationTopics: [topic],
      role: new Role(this, 'ChannelRole', { assumedBy: new ServicePrincipal('chatbot.amazonaws.com') }),
      // Without it whoever is in the channel could run commands with the rights of an administrator.
      guardrailPolicies: [ManagedPolicy.fromAwsManagedPolicyName('AWSDenyAll')],
    });
  }

  private createTopic(id: string, masterKey: Key): Topic {
    const displayName = `Assay ${this.#props.config.stage}`;
    return new Topic(this, id, { enforceSSL: true, displayName, masterKey });
  }

  private target(topic: Topic, message: RuleTargetInput): SnsTopic {
    const deadLetterQueue = this.#props.undelivered;
    return new SnsTopic(topic, { message, deadLetterQueue, retryAttempts: 20, maxEventAge: Duration.hours(6) });
  }

  /** Only fields that the event keeps free of what would break a template. */
  private fields() {
    const field = (name: string) => EventField.fromPath(`$.detail.${name}`);
    const runUrl = `${this.#props.apiUrl}${field('run_path')}`;
    return { title: field('title'), text: field('text'), gateRunId: field('gate_run_id'), runUrl };
  }
}
