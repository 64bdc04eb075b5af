import { describe, expect, it } from 'vitest';
import { ROUTES, routeKey } from '../../lambdas/routes.ts';
import { readStageConfig } from '../../lib/config.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { flatten, onlyResource, resourcesOf, synthStage } from './synth.ts';

const WEB_ACL = 'arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/assay/0a1b2c3d-1234-4abc-8def-123456789012';
const plain = synthStage({ api: { kind: 'rest' } }).evaluation;
const closed = synthStage({
  api: { kind: 'rest', auth: 'iam', webAclArn: WEB_ACL, allowedCidrs: ['203.0.113.0/24', '2001:db8::/32'] },
}).evaluation;

/** `METHOD /path` → how it is authorized. */
function methodsOf(template: typeof plain): Map<string, unknown> {
  const parts = new Map(resourcesOf(template, 'AWS::ApiGateway::Resource'));
  const pathOf = (id: string): string => {
    const found = parts.get(id);
    if (found === undefined) return '';
    const parent = found.Properties.ParentId as { Ref?: string };
    return `${pathOf(parent.Ref ?? '')}/${String(found.Properties.PathPart)}`;
  };
  return new Map(
    resourcesOf(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => {
      const { Ref = '' } = Properties.ResourceId as { Ref?: string };
      return [`${String(Properties.HttpMethod)} ${pathOf(Ref)}`, Properties.AuthorizationType];
    }),
  );
}

describe('a stage with a REST API', () => {
  it('serves the route table and nothing else, and has no HTTP API beside it', () => {
    expect([...methodsOf(plain).keys()].toSorted()).toEqual(ROUTES.map(routeKey).toSorted());
    plain.resourceCountIs('AWS::ApiGatewayV2::Api', 0);
    synthStage().evaluation.resourceCountIs('AWS::ApiGateway::RestApi', 0);
  });

  it('leaves tokens, webhook secrets and links to the handler', () => {
    expect(new Set(methodsOf(plain).values())).toEqual(new Set(['NONE']));
  });

  it.each(ROUTES.map((route) => ({ ...route, key: routeKey(route) })))(
    'asks IAM about $key when told to',
    ({ key, auth }) => {
      expect(methodsOf(closed).get(key)).toBe(auth === 'management' ? 'AWS_IAM' : 'NONE');
    },
  );

  it('hands every body on as the bytes that came, to the one function', () => {
    expect(onlyResource(plain, 'AWS::ApiGateway::RestApi').Properties.BinaryMediaTypes).toEqual(['*/*']);
    const integrations = resourcesOf(plain, 'AWS::ApiGateway::Method').map(
      ([, { Properties }]) => Properties.Integration as { Type: string; Uri: unknown },
    );
    expect(new Set(integrations.map(({ Type }) => Type))).toEqual(new Set(['AWS_PROXY']));
    expect(new Set(integrations.map(({ Uri }) => flatten(Uri)))).toHaveLength(1);
  });

  it('is throttled, traced and logs each request as JSON without its headers', () => {
    const { Properties } = onlyResource(plain, 'AWS::ApiGateway::Stage');
    expect(Properties).toMatchObject({ StageName: 'prod', TracingEnabled: true });
    expect(Properties.MethodSettings).toEqual([
      {
        HttpMethod: '*',
        ResourcePath: '/*',
        ThrottlingRateLimit: 50,
        ThrottlingBurstLimit: 100,
        MetricsEnabled: true,
        LoggingLevel: 'ERROR',
        DataTraceEnabled: false,
      },
    ]);
    const { Format } = Properties.AccessLogSetting as { Format: string };
    expect(JSON.parse(Format)).toMatchObject({ requestId: '$context.requestId', webAcl: '$context.wafResponseCode' });
    expect(Format).not.toMatch(/header|querystring|requestOverride/i);
  });

  it('sets no role for the whole account', () => {
    plain.resourceCountIs('AWS::ApiGateway::Account', 0);
  });

  it('answers 404 where there is no route', () => {
    plain.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType: 'MISSING_AUTHENTICATION_TOKEN',
      StatusCode: '404',
    });
  });

  it('needs one permission of its function, however many methods there are', () => {
    const permissions = resourcesOf(plain, 'AWS::Lambda::Permission').filter(
      ([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com',
    );
    expect(permissions).toHaveLength(1);
  });

  it('tells its address without a slash at the end, stage included', () => {
    expect(flatten(plain.findOutputs('ApiUrl').ApiUrl?.Value)).toMatch(
      /^https:\/\/<RestApi\w+>\.execute-api\.<AWS::Region>\.<AWS::URLSuffix>\/<RestApiDeploymentStageprod\w+>$/,
    );
  });

  it('is watched like any other', () => {
    const alarm = resourcesOf(plain, 'AWS::CloudWatch::Alarm').find(([id]) => id.startsWith('ObservabilityApiFaults'));
    expect(alarm?.[1].Properties).toMatchObject({ Namespace: 'AWS/ApiGateway', MetricName: '5XXError' });
  });

  it('has a web ACL and a policy of networks only where it is told to', () => {
    plain.resourceCountIs('AWS::WAFv2::WebACLAssociation', 0);
    expect(onlyResource(plain, 'AWS::ApiGateway::RestApi').Properties).not.toHaveProperty('Policy');
    const association = onlyResource(closed, 'AWS::WAFv2::WebACLAssociation').Properties;
    expect(association.WebACLArn).toBe(WEB_ACL);
    expect(flatten(association.ResourceArn)).toMatch(
      /^arn:<AWS::Partition>:apigateway:<AWS::Region>::\/restapis\/<RestApi\w+>\/stages\/<RestApiDeploymentStageprod\w+>$/,
    );
    const { Policy } = onlyResource(closed, 'AWS::ApiGateway::RestApi').Properties as {
      Policy: { Statement: object[] };
    };
    expect(Policy.Statement).toEqual([
      { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'execute-api:Invoke', Resource: 'execute-api:/*' },
      {
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'execute-api:Invoke',
        Resource: 'execute-api:/*',
        Condition: { NotIpAddress: { 'aws:SourceIp': ['203.0.113.0/24', '2001:db8::/32'] } },
      },
    ]);
  });
});

describe('routes', () => {
  it('have one name for the variable at each place: a REST API takes no two', () => {
    const names = new Map<string, Set<string>>();
    for (const { path } of ROUTES) {
      const parts = path.split('/');
      for (const [at, part] of parts.entries()) {
        if (!part.startsWith('{')) continue;
        const before = parts.slice(0, at).join('/');
        names.set(before, (names.get(before) ?? new Set()).add(part));
      }
    }
    expect([...names].filter(([, parts]) => parts.size > 1)).toEqual([]);
  });
});

describe('settings of a REST API', () => {
  it.each([
    { name: 'a web ACL before an HTTP API', api: { webAclArn: WEB_ACL }, says: 'set api.kind to rest' },
    { name: 'networks before an HTTP API', api: { allowedCidrs: ['203.0.113.0/24'] }, says: 'set api.kind to rest' },
    {
      name: 'a web ACL of CloudFront',
      api: { kind: 'rest', webAclArn: WEB_ACL.replace('regional', 'global') },
      says: 'regional web ACL',
    },
    {
      name: 'an address that is no network',
      api: { kind: 'rest', allowedCidrs: ['203.0.113.7'] },
      says: 'must be a network',
    },
    { name: 'another kind', api: { kind: 'websocket' }, says: 'api.kind' },
  ])('$name is refused', ({ api, says }) => {
    expect(() => readStageConfig({ prod: { api } }, 'prod')).toThrow(ConfigError);
    expect(() => readStageConfig({ prod: { api } }, 'prod')).toThrow(says);
  });
});
