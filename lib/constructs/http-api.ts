import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi as GatewayApi,
  type HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ROUTES } from '../../lambdas/routes.ts';
import type { StageConfig } from '../config.ts';

/** One line a request. No headers, no query: both may carry secrets. */
const ACCESS_LOG = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  routeKey: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  responseLength: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
  authorizerError: '$context.authorizer.error',
  gatewayError: '$context.error.message',
};

export interface HttpApiProps {
  readonly config: StageConfig;
  /** Answers every route. */
  readonly handler: IFunction;
}

/** The routes of `lambdas/routes.ts` in front of one function, throttled, each request logged. */
export class HttpApi extends Construct {
  readonly api: GatewayApi;
  /** Base of every path, without a slash at its end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { config, handler }: HttpApiProps) {
    super(scope, id);
    // CDK's default stage takes neither throttling nor access logs.
    this.api = new GatewayApi(this, 'Api', { apiName: `assay-${config.stage}`, createDefaultStage: false });
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: config.api.requestsPerSecond, burstLimit: config.api.burst },
      detailedMetricsEnabled: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.createLogGroup(config)),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
    this.addRoutes(config, handler);
    this.url = this.api.apiEndpoint;
  }

  private addRoutes(config: StageConfig, handler: IFunction): void {
    // One permission for all routes: one a route would fill the function's policy (20 KB).
    const integration = new HttpLambdaIntegration('Function', handler, { scopePermissionToRoute: false });
    const byIam = new HttpIamAuthorizer();
    const byHandler = new HttpNoneAuthorizer();
    for (const { method, path, auth } of ROUTES) {
      const authorizer = auth === 'management' && config.api.auth === 'iam' ? byIam : byHandler;
      this.api.addRoutes({ path, methods: [method as HttpMethod], integration, authorizer });
    }
  }

  private createLogGroup(config: StageConfig): LogGroup {
    return new LogGroup(this, 'AccessLogs', {
      logGroupName: `/aws/vendedlogs/apigateway/${Stack.of(this).stackName}-api`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }
}
