/** A finding of cdk-nag that stays, and why. One that matches nothing any more fails the tests. */
export interface Acknowledgement {
  /** Whole id of the finding; logical ids in it change with the stage, so it is matched by its fixed part. */
  readonly rule: RegExp;
  /** Path of the resource in the construct tree, without the stack's name. */
  readonly path: RegExp;
  readonly reason: string;
}

const FUNCTION_ROLE = /^((Run|Schedules|Compaction)\/)?\w+Role\/DefaultPolicy\/Resource$/;
const STATE_MACHINE = /^Workflow\/StateMachine\//;

export const ACKNOWLEDGEMENTS: readonly Acknowledgement[] = [
  {
    rule: /^AwsSolutions-S1$/,
    path: /^Results\/Bucket\/Resource$/,
    reason:
      'All readers are roles of this application or IAM identities of the account. Records of single objects are a ' +
      'choice for the account (CloudTrail data events); a log bucket would double the objects every run writes.',
  },
  {
    rule: /^AwsSolutions-SMG4$/,
    path: /^Secrets\/ApiToken\/Resource$/,
    reason: 'The first token is for setting up; people replace it with named tokens (`assay token`) and delete it.',
  },
  {
    rule: /^AwsSolutions-SMG4$/,
    path: /^Secrets\/ReportLinks\/Resource$/,
    reason: 'What it signs lives for 7 days at most; rotating it revokes links, which is for people to decide.',
  },
  {
    rule: /^(AwsSolutions-SQS3|Serverless-SQSRedrivePolicy)$/,
    path: /^Failures\/Resource$/,
    reason: 'It is the dead-letter queue: of both EventBridge rules and of every asynchronous function.',
  },
  {
    rule: /^Serverless-LambdaDLQ$/,
    path: /^(Run\/(IngestDataset|FailRun)|SweepRuns|Schedules\/(Start|Mend)\w+|Compaction\/CompactRun)\/Resource$/,
    reason: 'Has an on-failure destination instead, which keeps the error beside the event; the rule sees only DLQs.',
  },
  {
    rule: /^Serverless-LambdaDLQ$/,
    path: /^(Run\/(PrepareRun|EvaluateRows|AggregateRun)|Api)\/Resource$/,
    reason: 'Called synchronously, by Step Functions (which retries and then fails the run) or by API Gateway.',
  },
  {
    rule: /^Serverless-SNSRedrivePolicy$/,
    path: /^(Observability\/Alarms|Notifications\/Mail)\//,
    reason:
      'Mails; an alarm stays red in CloudWatch, a run in the API, whether a mail of it arrived or not. What SNS itself ' +
      'does not take goes to the failures queue.',
  },
  {
    rule: /^(AwsSolutions-SF2|Serverless-StepFunctionStateMachineXray|Serverless-LambdaTracing)$/,
    path: /\/Resource$/,
    reason: 'Only in a stage that turned tracing off with `xray: false`; the tests hold it on by default.',
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    path: /^Http\/Api\/(POST--api--runs--webhook--|GET--api--gates--)/,
    reason: 'The HMAC covers the raw body, which authorizers are not given: the handler checks it before all else.',
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    path: /^Http\/Api\/GET--api--links--/,
    reason: 'A link for browsers: the handler checks the signature and the expiry that it holds.',
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    path: /^Http\/Api\/GET--(openapi\.json|console)/,
    reason:
      'The same files in every account: the description of the API, and the console, which holds nothing of anybody.',
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    path: /^Http\/Api\/(GET|POST|PUT|DELETE)--api--/,
    reason: 'Stages with `api.auth: token`: the handler compares the Bearer token in constant time. `iam` has AWS_IAM.',
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    path: /^Rest\/Api\/Default\/api\/(runs\/webhook|gates|links)\//,
    reason:
      'As behind the HTTP API: an HMAC over the raw body, a webhook secret or a signed link, which the handler checks.',
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    path: /^Rest\/Api\/Default\/(openapi\.json|console)\//,
    reason:
      'The same files in every account: the description of the API, and the console, which holds nothing of anybody.',
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    path: /^Rest\/Api\/Default\/api\//,
    reason: 'Stages with `api.auth: token`: the handler compares the Bearer token in constant time. `iam` has AWS_IAM.',
  },
  {
    rule: /^AwsSolutions-COG4$/,
    path: /^Rest\/Api\/Default\//,
    reason: 'No user pool: callers are CI systems, with tokens of their own, HMAC or AWS credentials.',
  },
  {
    rule: /^AwsSolutions-APIG2$/,
    path: /^Rest\/Api\/Resource$/,
    reason: 'The handler parses every body and parameter with a strict schema and says all that is wrong with it.',
  },
  {
    rule: /^AwsSolutions-APIG3$/,
    path: /^Rest\/Api\/DeploymentStage\./,
    reason: 'Stages that name no web ACL: it costs by the month and its rules are the account’s (`api.webAclArn`).',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    path: FUNCTION_ROLE,
    reason:
      'X-Ray takes no resource: PutTraceSegments and PutTelemetryRecords are granted on * or not at all. Nor does ' +
      'ListSchedules, which only mend-schedules may call, nor network interfaces of functions in a VPC. Nor does ' +
      'RetrieveAndGenerate, where a stage names knowledge bases: Retrieve and InvokeModel beside it are exact.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    path: STATE_MACHINE,
    reason: 'X-Ray, and the log deliveries through which Step Functions writes its log group, take no resource.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::.*\/(uploads|datasets|runs|results|tables|compacting|parquet)\/\*\]$/,
    path: FUNCTION_ROLE,
    reason: 'Objects are named by project, run and batch at run time; each function has the folders of its step.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::.*\/(runs|map-results)\/\*\]$/,
    path: STATE_MACHINE,
    reason: 'The Map reads rows.jsonl of any run and writes its records into a folder of their own.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::<.*\.Arn>:\*\]$/,
    path: STATE_MACHINE,
    reason: 'Versions of the three functions that the machine calls; CDK grants a function with its qualifiers.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:states:.*:execution:.*:\*\]$/,
    path: STATE_MACHINE,
    reason: 'A distributed Map starts, stops and redrives children of its own machine, whose names it makes.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:states:.*:execution:.*:\*\]$/,
    path: /^((SweepRuns|Api)Role\/DefaultPolicy|RedriveLookup)\/Resource$/,
    reason: 'Executions of the one machine; their names are run ids.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:scheduler:.*:schedule\/assay-[a-z0-9-]+\/\*\]$/,
    path: /^(ApiRole|Schedules\/MendSchedulesRole)\//,
    reason: 'Schedules of this stage’s own group, named after evals that people make at run time.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:secretsmanager:.*:secret:[a-z0-9-]+\/\*\]$/,
    path: /^Run\/(PrepareRun|EvaluateRows)Role\//,
    reason: 'Projects name their own secrets; an explicit Deny keeps `_system` secrets out of reach.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:secretsmanager:.*\/_system\/\*\]$/,
    path: /^ApiRole\//,
    reason: 'Webhook secrets of projects that are created later; named secrets of projects are not included.',
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:bedrock:\*::foundation-model\/[^*]+\]$/,
    path: /^Run\/EvaluateRowsRole\//,
    reason: 'Exact model; a cross-Region profile picks the Region, and a condition admits the named profiles only.',
  },
];
