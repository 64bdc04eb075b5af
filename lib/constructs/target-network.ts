import { Annotations, Stack } from 'aws-cdk-lib';
import {
  GatewayVpcEndpoint,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  type ISecurityGroup,
  type ISubnet,
  type IVpc,
  Port,
  SecurityGroup,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { StageConfig, VpcConfig } from '../config.ts';

export interface TargetNetworkProps {
  readonly config: StageConfig;
  readonly vpc: VpcConfig;
}

/** What AWS's managed policy for functions in a VPC allows, less its logs. */
const INTERFACE_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Private subnets of a VPC that is there already, for the functions that call targets. Everything is named by the stage, nothing is looked
 * up, so that a template needs no account. Their way to AWS's own services is the VPC's: NAT, or endpoints, which it can make.
 */
export class TargetNetwork extends Construct {
  readonly vpc: IVpc;
  readonly subnets: readonly ISubnet[];
  readonly securityGroups: readonly ISecurityGroup[];

  constructor(scope: Construct, id: string, { config, vpc }: TargetNetworkProps) {
    super(scope, id);
    const { vpcId, availabilityZones, subnetIds, routeTableIds } = vpc;
    this.vpc = Vpc.fromVpcAttributes(this, 'Vpc', {
      vpcId,
      availabilityZones,
      privateSubnetIds: subnetIds,
      ...(routeTableIds.length === 0 ? {} : { privateSubnetRouteTableIds: routeTableIds }),
    });
    this.subnets = this.vpc.privateSubnets;
    // Nothing here asks for them but gateway endpoints, which cannot be had without.
    Annotations.of(this).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId', 'the subnets are only placed in');
    this.securityGroups = this.createSecurityGroups(config, vpc);
    if (vpc.createEndpoints) this.createEndpoints(config, vpc);
  }

  /** Before the function is made: Lambda tries this role then. What runs in the function may do none of it. */
  grantInterfaces(role: Role): void {
    const { partition, region, account } = Stack.of(this);
    const resources = ['*'];
    role.addToPolicy(new PolicyStatement({ actions: INTERFACE_ACTIONS, resources }));
    role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: INTERFACE_ACTIONS,
        resources,
        // Set where code of a function calls, and not where Lambda itself does.
        conditions: {
          ArnLike: { 'lambda:SourceFunctionArn': `arn:${partition}:lambda:${region}:${account}:function:*` },
        },
      }),
    );
  }

  private createSecurityGroups(config: StageConfig, { securityGroupIds }: VpcConfig): readonly ISecurityGroup[] {
    if (securityGroupIds.length > 0) {
      return securityGroupIds.map((groupId, index) =>
        SecurityGroup.fromSecurityGroupId(this, `SecurityGroup${index}`, groupId, { mutable: false }),
      );
    }
    return [
      new SecurityGroup(this, 'SecurityGroup', {
        vpc: this.vpc,
        description: `Assay ${config.stage}: functions that call targets; nothing calls them`,
        // Targets are wherever evals say; name a group of your own to narrow it.
        allowAllOutbound: true,
      }),
    ];
  }

  private createEndpoints(config: StageConfig, { routeTableIds }: VpcConfig): void {
    for (const [id, service] of [
      ['S3', GatewayVpcEndpointAwsService.S3],
      ['DynamoDb', GatewayVpcEndpointAwsService.DYNAMODB],
    ] as const) {
      // Two subnets may share a table, which takes an endpoint's route once.
      const own = this.subnets.filter((_, index) => routeTableIds.indexOf(routeTableIds[index] ?? '') === index);
      new GatewayVpcEndpoint(this, id, { vpc: this.vpc, service, subnets: [{ subnets: own }] });
    }
    const group = new SecurityGroup(this, 'EndpointsSecurityGroup', {
      vpc: this.vpc,
      description: `Assay ${config.stage}: endpoints of AWS services for the functions that call targets`,
      allowAllOutbound: false,
    });
    for (const from of this.securityGroups) group.addIngressRule(from, Port.HTTPS, 'functions that call targets');
    for (const [id, service] of interfaceServices(config)) {
      new InterfaceVpcEndpoint(this, id, {
        vpc: this.vpc,
        service,
        subnets: { subnets: [...this.subnets] },
        securityGroups: [group],
        open: false,
        privateDnsEnabled: true,
      });
    }
  }
}

/** What the functions that call targets ask of AWS, besides S3 and DynamoDB. */
function interfaceServices({ targets }: StageConfig): readonly (readonly [string, InterfaceVpcEndpointAwsService])[] {
  const hasAgents = targets.agents.length > 0 || targets.knowledgeBases.length > 0;
  return [
    ['SecretsManager', InterfaceVpcEndpointAwsService.SECRETS_MANAGER],
    ['BedrockRuntime', InterfaceVpcEndpointAwsService.BEDROCK_RUNTIME],
    ['StepFunctions', InterfaceVpcEndpointAwsService.STEP_FUNCTIONS],
    ['Events', InterfaceVpcEndpointAwsService.EVENTBRIDGE],
    ...(targets.functions.length > 0 ? [['Lambda', InterfaceVpcEndpointAwsService.LAMBDA] as const] : []),
    ...(hasAgents ? [['BedrockAgents', InterfaceVpcEndpointAwsService.BEDROCK_AGENT_RUNTIME] as const] : []),
    ...(targets.agentRuntimes.length > 0
      ? [['AgentCore', InterfaceVpcEndpointAwsService.BEDROCK_AGENTCORE] as const]
      : []),
  ];
}
