import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { StageConfig } from '../config.ts';

export interface ProjectSecretsProps {
  readonly config: StageConfig;
}

/**
 * Secrets by path: `<prefix>/<project>/<NAME>` belongs to a project, `<prefix>/<project>/_system/…` is Assay's own
 * material about it, `<prefix>/_system/api-token` the first token of the API, and `<prefix>/_system/report-links` what
 * links to reports are signed with; both are made at deploy.
 */
export class ProjectSecrets extends Construct {
  /** Absent where management calls are proved by IAM. */
  readonly apiToken?: Secret;
  readonly #prefix: string;

  constructor(scope: Construct, id: string, { config }: ProjectSecretsProps) {
    super(scope, id);
    this.#prefix = config.secretsPrefix;
    new Secret(this, 'ReportLinks', {
      secretName: `${config.secretsPrefix}/_system/report-links`,
      description: `Signs links to reports (${config.stage}); rotate with: POST /api/links/rotate`,
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'current',
        passwordLength: 43,
        excludePunctuation: true,
      },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    if (config.api.auth === 'iam') return;
    this.apiToken = new Secret(this, 'ApiToken', {
      secretName: `${config.secretsPrefix}/_system/api-token`,
      description: `First Bearer token of the Assay API (${config.stage}); rotate with: assay token`,
      generateSecretString: { passwordLength: 43, excludePunctuation: true },
      // A key, not data: kept, its fixed name would stop the next deploy.
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  /** The project's named secrets, for targets and judges; never our own material. */
  grantReadNamed(grantee: IGrantable): void {
    const read = ['secretsmanager:GetSecretValue'];
    const principal = grantee.grantPrincipal;
    principal.addToPrincipalPolicy(new PolicyStatement({ actions: read, resources: [this.#arn('*')] }));
    principal.addToPrincipalPolicy(
      // `*` crosses slashes in IAM, so the exception needs a statement of its own.
      new PolicyStatement({ effect: Effect.DENY, actions: read, resources: this.#systemArns() }),
    );
  }

  /** Webhook secrets and tokens, which the API makes and rotates; never a project's named secrets. */
  grantManageSystem(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: [
          'secretsmanager:CreateSecret',
          'secretsmanager:DeleteSecret',
          'secretsmanager:GetSecretValue',
          'secretsmanager:PutSecretValue',
        ],
        resources: this.#systemArns(),
      }),
    );
  }

  #systemArns(): string[] {
    return [this.#arn('_system/*'), this.#arn('*/_system/*')];
  }

  #arn(name: string): string {
    const { partition, region, account } = Stack.of(this);
    return `arn:${partition}:secretsmanager:${region}:${account}:secret:${this.#prefix}/${name}`;
  }
}
