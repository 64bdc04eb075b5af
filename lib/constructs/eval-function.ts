import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { FunctionName } from '../bundle-ceilings.ts';
import { API_BUNDLING, BUNDLING } from '../bundling.ts';
import type { StageConfig } from '../config.ts';
import type { TargetNetwork } from './target-network.ts';

export interface EvalFunctionProps {
  readonly config: StageConfig;
  /** Folder under `lambdas/`. */
  readonly name: FunctionName;
  readonly description: string;
  /** Typed by the function's `env.ts`, so that a variable missing here fails the build. */
  readonly environment: Record<string, string | undefined>;
  readonly memoryMb: number;
  readonly timeout: Duration;
  /** Takes and caps this much of the account's concurrency. @default none */
  readonly reservedConcurrency?: number;
  /** Where events go that it failed on after all retries. Only for functions that are invoked asynchronously. */
  readonly onFailure?: IQueue;
  /** Subnets it runs in. @default outside of any VPC */
  readonly network?: TargetNetwork | undefined;
}

/** A Lambda function with every default of the application: runtime, bundle, logs, tracing and a role of its own. */
export class EvalFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: EvalFunctionProps) {
    const { config, name } = props;
    // CDK's own role brings AWSLambdaBasicExecutionRole, which may write to any log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { network } = props;
    network?.grantInterfaces(role);
    super(scope, id, {
      entry: fileURLToPath(new URL(`../../lambdas/${name}/index.ts`, import.meta.url)),
      depsLockFilePath: fileURLToPath(new URL('../../package-lock.json', import.meta.url)),
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      bundling: name === 'api' ? API_BUNDLING : BUNDLING,
      memorySize: props.memoryMb,
      timeout: props.timeout,
      reservedConcurrentExecutions: props.reservedConcurrency,
      environment: { ...definedOnly(props.environment), NODE_OPTIONS: '--enable-source-maps' },
      awsSdkConnectionReuse: false, // the variable it sets is one of SDK version 2
      role,
      ...(network === undefined
        ? {}
        : {
            vpc: network.vpc,
            vpcSubnets: { subnets: [...network.subnets] },
            securityGroups: [...network.securityGroups],
          }),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel[config.logLevel],
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: config.xray ? Tracing.ACTIVE : Tracing.DISABLED,
      onFailure: props.onFailure ? new SqsDestination(props.onFailure) : undefined,
      retryAttempts: props.onFailure ? 2 : undefined,
      maxEventAge: props.onFailure ? Duration.hours(6) : undefined,
    });
    this.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
  }

  /** Allows calling this function and none of its versions or aliases (there are none). */
  allowInvokeBy(caller: EvalFunction): void {
    caller.addToRolePolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.functionArn] }));
  }

  /** ARN of something else in the stack's account and Region. */
  arnOf(service: string, resource: string): string {
    const { partition, region, account } = Stack.of(this);
    return `arn:${partition}:${service}:${region}:${account}:${resource}`;
  }
}

function definedOnly(environment: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
