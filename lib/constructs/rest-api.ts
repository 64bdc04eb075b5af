import { Aws, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  EndpointType,
  RestApi as GatewayApi,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseType,
} from 'aws-cdk-lib/aws-apigateway';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { ROUTES } from '../../lambdas/routes.ts';
import type { StageConfig } from '../config.ts';

/** One line a request. No headers, no query: both may carry secrets. */
const ACCESS_LOG = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  path: '$context.path',
  status: '$context.status',
  responseLength: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationStatus: '$context.integration.status',
  integrationError: '$context.integration.error',
  webAcl: '$context.wafResponseCode',
  gatewayError: '$context.error.message',
};

export interface RestApiProps {
  readonly config: StageConfig;
  /** Answers every route. */
  readonly handler: IFunction;
}

/**
 * The same routes as `HttpApi` behind a REST API, for stages that need what an HTTP API cannot have: a web ACL of AWS WAF, or a
 * policy that says which networks may call.
 */
export class RestApi extends Construct {
  readonly api: GatewayApi;
  /** Base of every path, without a slash at its end; it ends with the stage. */
  readonly url: string;

  constructor(scope: Construct, id: string, { config, handler }: RestApiProps) {
    super(scope, id);
    this.api = new GatewayApi(this, 'Api', {
      restApiName: `assay-${config.stage}`,
      description: `Assay ${config.stage}: webhook, gates, runs, datasets, evals, projects`,
      endpointTypes: [EndpointType.REGIONAL],
      // Signatures are over the very bytes of a body, and uploads are binary.
      binaryMediaTypes: ['*/*'],
      // The role is one for all APIs of the account and Region: not ours to set (docs/http-api.md).
      cloudWatchRole: false,
      ...(config.api.allowedCidrs.length === 0 ? {} : { policy: onlyFrom(config.api.allowedCidrs) }),
      deployOptions: {
        stageName: config.stage,
        throttlingRateLimit: config.api.requestsPerSecond,
        throttlingBurstLimit: config.api.burst,
        metricsEnabled: true,
        tracingEnabled: config.xray,
        // Above ERROR the lines hold requests, and with them secrets.
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        accessLogDestination: new LogGroupLogDestination(this.createLogGroup(config)),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
    this.addMethods(config, handler);
    // An address that is no route: 403 with a word about tokens, unless told otherwise.
    this.api.addGatewayResponse('NoSuchRoute', {
      type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
      statusCode: '404',
      templates: { 'application/json': '{"message":"Not Found"}' },
    });
    const { deploymentStage } = this.api;
    if (config.api.webAclArn !== undefined) {
      new CfnWebACLAssociation(this, 'WebAcl', {
        resourceArn: deploymentStage.stageArn,
        webAclArn: config.api.webAclArn,
      });
    }
    this.url = `https://${this.api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}/${deploymentStage.stageName}`;
  }

  private addMethods(config: StageConfig, handler: IFunction): void {
    // One permission for all methods: one a method would fill the function's policy (20 KB).
    const integration = new LambdaIntegration(handler, { scopePermissionToMethod: false });
    for (const { method, path, auth } of ROUTES) {
      const byIam = auth === 'management' && config.api.auth === 'iam';
      this.api.root.resourceForPath(path).addMethod(method, integration, {
        authorizationType: byIam ? AuthorizationType.IAM : AuthorizationType.NONE,
      });
    }
  }

  private createLogGroup(config: StageConfig): LogGroup {
    return new LogGroup(this, 'AccessLogs', {
      logGroupName: `/aws/vendedlogs/apigateway/${Stack.of(this).stackName}-rest-api`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }
}

/** Whoever calls, from these networks alone; who proves what is the routes' own matter. */
function onlyFrom(cidrs: readonly string[]): PolicyDocument {
  const everyCall = {
    principals: [new AnyPrincipal()],
    actions: ['execute-api:Invoke'],
    resources: ['execute-api:/*'],
  };
  return new PolicyDocument({
    statements: [
      new PolicyStatement({ ...everyCall, effect: Effect.ALLOW }),
      new PolicyStatement({
        ...everyCall,
        effect: Effect.DENY,
        conditions: { NotIpAddress: { 'aws:SourceIp': [...cidrs] } },
      }),
    ],
  });
}
