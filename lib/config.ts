import * as z from 'zod';
import { ConfigError, type Fault } from '../src/core/errors.ts';

/** Days that CloudWatch Logs can keep; other numbers are refused by the service at deploy. */
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653] as const;

/** Cheap judges and their on-demand or cross-Region ids; a stage in Europe lists its `eu.` profiles instead. */
const DEFAULT_BEDROCK_MODELS = [
  'us.amazon.nova-micro-v1:0',
  'us.amazon.nova-lite-v1:0',
  'us.amazon.nova-2-lite-v1:0',
  'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  'us.anthropic.claude-sonnet-4-6',
  'openai.gpt-oss-20b-1:0',
  'openai.gpt-oss-120b-1:0',
  'qwen.qwen3-32b-v1:0',
];

const positiveInt = z.number().int().positive();
const memoryMb = z.number().int().min(128).max(10_240);
/** An exact ARN: a wildcard in it would widen the role. */
const arn = (service: string, resource: string) =>
  z
    .string()
    .regex(new RegExp(`^arn:[a-z-]+:${service}:[a-z0-9-]+:\\d{12}:${resource}$`), `must be an exact ARN of ${service}`);

const resourceId = (kind: string) =>
  z.string().regex(new RegExp(`^${kind}-[0-9a-f]{8,17}$`), `must be an id such as ${kind}-0a1b2c3d4e5f67890`);

/** Private subnets of a VPC that is there already. Explicit ids, so that a template needs no account to be made. */
const VpcConfigSchema = z
  .strictObject({
    vpcId: resourceId('vpc'),
    subnetIds: z.array(resourceId('subnet')).min(1),
    /** Of the subnets, in their order. */
    availabilityZones: z
      .array(z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d[a-z]$/, 'must be such as eu-central-1a'))
      .min(1),
    /** Say what the functions may reach. @default one of its own that lets everything out and nothing in */
    securityGroupIds: z.array(resourceId('sg')).max(5).default([]),
    /** Route tables of the subnets, in their order: gateway endpoints are routes. Only with `createEndpoints`. */
    routeTableIds: z.array(resourceId('rtb')).default([]),
    /** Makes the endpoints of the AWS services that the functions ask; not for a VPC that has them, or a NAT. */
    createEndpoints: z.boolean().default(false),
  })
  .refine(({ subnetIds, availabilityZones }) => subnetIds.length === availabilityZones.length, {
    path: ['availabilityZones'],
    message: 'must name the zone of each subnet, in the order of subnetIds',
  })
  .refine(
    ({ subnetIds, availabilityZones: zones }) =>
      new Set(subnetIds).size === subnetIds.length && new Set(zones).size === zones.length,
    {
      path: ['subnetIds'],
      message: 'must be one subnet a zone',
    },
  )
  .refine(
    ({ subnetIds, routeTableIds, createEndpoints }) =>
      routeTableIds.length === (createEndpoints ? subnetIds.length : 0),
    {
      path: ['routeTableIds'],
      message: 'must name the route table of each subnet where createEndpoints is true, and be left out elsewhere',
    },
  );
export type VpcConfig = z.output<typeof VpcConfigSchema>;

/** Settings of one stage, as `cdk.json` holds them under `assay:stages`. Every one has a default. */
export const StageConfigSchema = z
  .strictObject({
    /** Part of stack names; the `Stage` dimension of the metrics. */
    stage: z.string().regex(/^[a-z][a-z0-9-]{0,15}$/, 'must be 1 to 16 lower-case letters, digits or dashes'),
    /** What `cdk destroy` does with bucket, table and key. The token's secret goes either way: it is no data. */
    removal: z.enum(['retain', 'destroy']).default('retain'),
    /** Guards the table against deletion. @default true where data is retained */
    deletionProtection: z.boolean().optional(),
    /** `customer-key` makes one KMS key for bucket, table and query results ($1 a month, and per request). */
    encryption: z.enum(['aws', 'customer-key']).default('aws'),
    /** First segment of secret names. @default assay; assay-<stage> for stages other than prod */
    secretsPrefix: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,30}$/)
      .optional(),
    logRetentionDays: z.literal(LOG_RETENTION_DAYS).default(30),
    /** INFO at least, while metrics are wanted: they travel in log lines. */
    logLevel: z.enum(['DEBUG', 'INFO']).default('INFO'),
    xray: z.boolean().default(true),
    memoryMb: z
      .strictObject({
        api: memoryMb.default(512),
        ingestDataset: memoryMb.default(1024),
        prepareRun: memoryMb.default(1024),
        evaluateRows: memoryMb.default(512),
        aggregateRun: memoryMb.default(1769),
        /** Row groups of 32 MB of text are held as objects while they are encoded. */
        compactRun: memoryMb.default(2048),
        failRun: memoryMb.default(512),
        sweepRuns: memoryMb.default(512),
        startScheduled: memoryMb.default(512),
        mendSchedules: memoryMb.default(512),
      })
      .prefault({}),
    evaluation: z
      .strictObject({
        /** Batches of one run at once, at most; Lambda's concurrency is an account quota of 1,000 (new accounts: less). */
        maxConcurrentBatches: z.number().int().min(1).max(1000).default(50),
        /** Rows in flight in one Lambda, at most. */
        maxRowsInFlight: z.number().int().min(1).max(100).default(20),
        /** Takes this much of the account's concurrency for row evaluation and caps it there. @default none */
        reservedConcurrency: positiveInt.optional(),
        /** Runs of one project under way at once, where it sets no `max_concurrent_runs`; more wait. @default any number */
        maxConcurrentRuns: z.number().int().min(1).max(1000).optional(),
        /** Runs of one project that may wait; beyond it, calls are answered 429. */
        maxQueuedRuns: z.number().int().min(1).max(1000).default(100),
        /** An execution older than this is timed out; 10 million rows at 1,000 in flight take 14 hours. */
        executionTimeoutHours: z.number().int().min(1).max(336).default(24),
      })
      .prefault({}),
    bedrock: z
      .strictObject({
        /** Models that judges and targets may call: on-demand ids or cross-Region inference profiles, exact ids. */
        models: z
          .array(z.string().regex(/^[a-z0-9-]+\.[A-Za-z0-9.:-]+$/, 'must be a Bedrock model or inference profile id'))
          .default(DEFAULT_BEDROCK_MODELS),
        /** Regions besides the stack's own that evals may name as the `region` of judges and targets. */
        regions: z.array(z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/)).default([]),
      })
      .prefault({}),
    /** What targets of evals may call besides models and HTTP addresses: exactly these, by the role of row evaluation alone. */
    targets: z
      .strictObject({
        /** Of `lambda` targets: ARNs as evals write them, with alias or version where they name one. */
        functions: z.array(arn('lambda', 'function:[\\w-]+(?::[\\w$-]+)?')).default([]),
        /** Of `agentcore` targets: ARNs of runtimes; of an endpoint other than DEFAULT, `…/runtime-endpoint/<qualifier>`. */
        agentRuntimes: z.array(arn('bedrock-agentcore', 'runtime/[\\w-]+(?:/runtime-endpoint/[\\w-]+)?')).default([]),
        /** Of `bedrock-agent` targets: `<agent id>/<alias id>`, in the stack's Region and `bedrock.regions`. */
        agents: z
          .array(z.string().regex(/^[0-9A-Z]{1,10}\/[0-9A-Z]{1,10}$/, 'must be <agent id>/<alias id>'))
          .default([]),
        /** Of `knowledge-base` targets: ids. Their models are listed under `bedrock.models`. */
        knowledgeBases: z.array(z.string().regex(/^[0-9A-Z]{1,10}$/, 'must be the id of a knowledge base')).default([]),
      })
      .prefault({}),
    api: z
      .strictObject({
        /** How management calls prove themselves. Webhooks have their own secret either way. */
        auth: z.enum(['token', 'iam']).default('token'),
        /** `rest` costs 3.5 times as much a call and can have a web ACL and a policy of networks; an HTTP API can have neither. */
        kind: z.enum(['http', 'rest']).default('http'),
        /** Web ACL of AWS WAF, of the stack's Region, that stands in front of a REST API. @default none */
        webAclArn: z
          .string()
          .regex(
            /^arn:[a-z-]+:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/[\w-]{1,128}\/[0-9a-f-]{36}$/,
            'must be the ARN of a regional web ACL',
          )
          .optional(),
        /** Networks that may call a REST API; CI runners outside of them get 403. @default all */
        allowedCidrs: z
          .array(z.union([z.cidrv4(), z.cidrv6()], 'must be a network such as 203.0.113.0/24'))
          .default([]),
        requestsPerSecond: positiveInt.default(50),
        burst: positiveInt.default(100),
        /** Days that the links to reports in gates and comments open without a token; 0: there are none. */
        reportLinkDays: z.number().int().min(0).max(7).default(7),
      })
      .prefault({}),
    /** Where the functions run that call targets, for targets that only a VPC reaches. @default outside of any VPC */
    vpc: VpcConfigSchema.optional(),
    storage: z
      .strictObject({
        /** Days that overwritten or deleted objects can be brought back. */
        noncurrentDays: positiveInt.default(7),
        /** Days until raw uploads expire; normalised datasets stay. */
        uploadDays: positiveInt.default(2),
        /** Days until the records of Map runs and Athena query results expire. */
        scratchDays: positiveInt.default(30),
      })
      .prefault({}),
    athena: z.strictObject({ scanLimitGb: positiveInt.default(10) }).prefault({}),
    /** How the end of a run is told: the event `Assay Run Finished`, and whom a rule of the stage sends it to. */
    notifications: z
      .strictObject({
        /** The account's default event bus, or one of the stage's own (`assay-<stage>`). */
        bus: z.enum(['default', 'own']).default('default'),
        /** Of which runs mail and Slack hear. */
        statuses: z
          .array(z.enum(['passed', 'failed', 'error', 'cancelled']))
          .min(1)
          .default(['failed', 'error']),
        /** AWS asks the address to confirm. @default no mail */
        email: z.email().optional(),
        /** The workspace must have been authorized once in Amazon Q Developer in chat applications. @default no Slack */
        slack: z
          .strictObject({
            workspaceId: z
              .string()
              .regex(/^[0-9A-Z]{1,255}$/, 'must be the id of a Slack workspace, such as T0123ABCD'),
            channelId: z.string().regex(/^[0-9A-Z]{1,255}$/, 'must be the id of a Slack channel, such as C0123ABCD'),
          })
          .optional(),
      })
      .prefault({}),
    /** Where alarms are sent; AWS asks the address to confirm. @default no topic */
    alarmEmail: z.email().optional(),
  })
  .refine((config) => config.removal === 'retain' || config.deletionProtection !== true, {
    path: ['deletionProtection'],
    message: 'a protected table cannot be destroyed: leave it out, or set removal to retain',
  })
  .refine(({ api }) => api.kind === 'rest' || api.webAclArn === undefined, {
    path: ['api', 'webAclArn'],
    message: 'an HTTP API takes no web ACL: set api.kind to rest',
  })
  .refine(({ api }) => api.kind === 'rest' || api.allowedCidrs.length === 0, {
    path: ['api', 'allowedCidrs'],
    message: 'an HTTP API takes no policy: set api.kind to rest',
  })
  .transform((config) => ({
    ...config,
    deletionProtection: config.deletionProtection ?? config.removal === 'retain',
    secretsPrefix: config.secretsPrefix ?? (config.stage === 'prod' ? 'assay' : `assay-${config.stage}`),
  }));
export type StageConfig = z.output<typeof StageConfigSchema>;

/**
 * Settings of `stage` out of the context `assay:stages`.
 * Throws ConfigError that names every wrong setting, or the stages there are.
 */
export function readStageConfig(stages: unknown, stage: string): StageConfig {
  const known = z.record(z.string(), z.record(z.string(), z.unknown())).safeParse(stages ?? { prod: {} });
  if (!known.success) throw new ConfigError([fault('assay:stages', 'must be an object of stages')]);
  const settings = known.data[stage];
  if (settings === undefined) {
    const names = Object.keys(known.data).join(', ');
    throw new ConfigError([fault('assay:stages', `has no stage "${stage}" (there are: ${names})`)]);
  }
  const parsed = StageConfigSchema.safeParse({ ...settings, stage });
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => fault(['assay:stages', stage, ...issue.path].join('.'), issue.message)),
  );
}

function fault(field: string, message: string): Fault {
  return { file: 'cdk.json', field, message };
}
