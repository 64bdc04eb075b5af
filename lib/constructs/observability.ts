import { Duration, Stack } from 'aws-cdk-lib';
import type { HttpApi as GatewayApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  SingleValueWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { METRIC_NAMESPACE, type MetricName } from '../../lambdas/shared/metric-names.ts';
import type { StageConfig } from '../config.ts';

const PERIOD = Duration.minutes(5);

export interface ObservabilityProps {
  readonly config: StageConfig;
  readonly functions: Readonly<Record<string, IFunction>>;
  readonly stateMachine: StateMachine;
  /** HTTP API or REST API: both count the same things. */
  readonly api: Pick<GatewayApi, 'metricServerError' | 'metricClientError' | 'metricLatency'>;
  /** Everything that could be handed over to no function. */
  readonly failures: IQueue;
}

/** Alarms for what needs a person, and one dashboard: runs, rows by status, throttles, judge errors, cost. */
export class Observability extends Construct {
  readonly #stage: string;
  readonly #topic?: Topic;
  readonly #alarms: Alarm[] = [];

  constructor(scope: Construct, id: string, props: ObservabilityProps) {
    super(scope, id);
    this.#stage = props.config.stage;
    if (props.config.alarmEmail !== undefined) {
      this.#topic = new Topic(this, 'Alarms', { enforceSSL: true, displayName: `Assay ${this.#stage}` });
      this.#topic.addSubscription(new EmailSubscription(props.config.alarmEmail));
    }
    this.createAlarms(props);
    if (this.#topic !== undefined) this.allowAlarms(this.#topic);
    this.createDashboard(props);
  }

  /**
   * A policy of one's own (`enforceSSL`) takes the place of the one SNS gives a topic, and with it of the right of alarms
   * to publish. Asks for exactly these alarms.
   */
  private allowAlarms(topic: Topic): void {
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsPublish',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': Stack.of(this).account },
          ArnEquals: { 'aws:SourceArn': this.#alarms.map(({ alarmArn }) => alarmArn) },
        },
      }),
    );
  }

  private createAlarms({ stateMachine, failures, api, functions }: ObservabilityProps): void {
    const broken = sum('Executions that broke', {
      failed: stateMachine.metricFailed({ period: PERIOD }),
      timedOut: stateMachine.metricTimedOut({ period: PERIOD }),
    });
    const waiting = failures.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: 'Maximum' });
    this.alarm('RunsBroke', broken, 1, 'A run ended without its own gate; fail-run wrote an error. See the execution.');
    this.alarm('FailuresQueued', waiting, 1, 'An event was given up; its message in the failures queue says why.');
    this.alarm(
      'ApiFaults',
      api.metricServerError({ period: PERIOD, statistic: 'Sum' }),
      5,
      'The API answers 5xx: see its log group and the access logs.',
    );
    this.alarm(
      'RunsNotTold',
      this.metric('RunsNotTold'),
      1,
      'The event of a finished run could not be published; its gate stands, and the sweep tries again.',
    );
    this.alarm('JudgeErrors', this.judgeErrorShare(), 20, 'More than 20 % of the rows could not be judged.');
    this.alarm('JudgeThrottled', this.metric('JudgeThrottles'), 500, 'Bedrock throttles the judge: runs slow down.');
    this.alarm('FunctionsThrottled', throttles(functions), 50, 'Lambda has no concurrency left for Assay.');
    this.alarm('FunctionsFailed', errors(functions), 5, 'Functions fail; Step Functions and Lambda retry them.');
  }

  private createDashboard({ stateMachine, failures, api, functions }: ObservabilityProps): void {
    const m = (name: MetricName) => this.metric(name);
    const runs = [m('RunsPassed'), m('RunsFailed'), m('RunsError')];
    const rows = [m('RowsScored'), m('RowsTargetError'), m('RowsJudgeError'), m('RowsSkipped')];
    const executions = [
      stateMachine.metricStarted({ period: PERIOD }),
      stateMachine.metricFailed({ period: PERIOD }),
      stateMachine.metricTimedOut({ period: PERIOD }),
      stateMachine.metricAborted({ period: PERIOD }),
    ];
    const dashboard = new Dashboard(this, 'Dashboard', { dashboardName: `assay-${this.#stage}` });
    dashboard.addWidgets(
      new SingleValueWidget({
        title: 'In this range',
        metrics: [...runs, m('CostUsd')],
        width: 24,
        fullPrecision: true,
      }),
    );
    dashboard.addWidgets(
      graph('Runs by gate', runs),
      graph('Rows by status', rows),
      graph('Judge: share of rows it could not judge (%)', [this.judgeErrorShare()]),
    );
    dashboard.addWidgets(
      graph('Throttles', [m('JudgeThrottles'), m('TargetThrottles'), throttles(functions)]),
      graph('Cost of targets and judges (USD)', [m('CostUsd')]),
      graph('Executions', executions),
    );
    dashboard.addWidgets(
      graph('Function errors', [errors(functions), failures.metricApproximateNumberOfMessagesVisible()]),
      graph('API faults', [api.metricServerError({ statistic: 'Sum' }), api.metricClientError({ statistic: 'Sum' })]),
      graph('API latency (ms)', [api.metricLatency({ statistic: 'p50' }), api.metricLatency({ statistic: 'p95' })]),
    );
  }

  private judgeErrorShare(): MathExpression {
    return new MathExpression({
      label: 'Judge errors (% of judged rows)',
      // 20 rows at least: one bad row of three is no trouble with the judge.
      expression: 'IF(scored + errors >= 20, 100 * errors / (scored + errors), 0)',
      usingMetrics: { scored: this.metric('RowsScored'), errors: this.metric('RowsJudgeError') },
      period: PERIOD,
    });
  }

  private metric(metricName: MetricName): Metric {
    return new Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      dimensionsMap: { Stage: this.#stage },
      statistic: 'Sum',
      period: PERIOD,
    });
  }

  private alarm(id: string, metric: IMetric, threshold: number, alarmDescription: string): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      alarmDescription,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    this.#alarms.push(alarm);
    if (this.#topic !== undefined) alarm.addAlarmAction(new SnsAction(this.#topic));
  }
}

function throttles(functions: Readonly<Record<string, IFunction>>): MathExpression {
  return sum(
    'Lambda throttles',
    mapValues(functions, (fn) => fn.metricThrottles({ period: PERIOD })),
  );
}

function errors(functions: Readonly<Record<string, IFunction>>): MathExpression {
  return sum(
    'Function errors',
    mapValues(functions, (fn) => fn.metricErrors({ period: PERIOD })),
  );
}

function sum(label: string, usingMetrics: Record<string, IMetric>): MathExpression {
  const expression = Object.keys(usingMetrics).join(' + ');
  return new MathExpression({ label, expression, usingMetrics, period: PERIOD });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 });
}

function mapValues<In, Out>(record: Readonly<Record<string, In>>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
