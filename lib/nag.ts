import type {
  App,
  IPolicyValidationContext,
  IPolicyValidationPlugin,
  PolicyValidationPluginReport,
  PolicyViolation,
} from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { ACKNOWLEDGEMENTS, type Acknowledgement } from './nag-acknowledgements.ts';

/** cdk-nag's AwsSolutions and Serverless rules, less what `nag-acknowledgements.ts` gives a reason for. */
export class AcknowledgedChecks implements IPolicyValidationPlugin {
  readonly name = 'cdk-nag';
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  validate(_context: IPolicyValidationContext): PolicyValidationPluginReport {
    const { violations } = checkApp(this.#app);
    return { success: violations.length === 0, violations };
  }
}

export interface CheckedApp {
  /** Findings without a reason. */
  readonly violations: PolicyViolation[];
  /** Reasons for what is found no more: to be deleted. */
  readonly stale: readonly Acknowledgement[];
}

export function checkApp(app: IConstruct): CheckedApp {
  const used = new Set<Acknowledgement>();
  const packs = [new AwsSolutionsChecks(), new ServerlessChecks()];
  const violations = packs.flatMap((pack) =>
    pack.validateScope(app).violations.flatMap((violation) => {
      const violatingResources = violation.violatingResources.filter((resource) => {
        const reason = ACKNOWLEDGEMENTS.find(
          ({ rule, path }) => rule.test(violation.ruleName) && path.test(withoutStack(resource.constructPath)),
        );
        if (reason !== undefined) used.add(reason);
        return reason === undefined;
      });
      return violatingResources.length === 0 ? [] : [{ ...violation, violatingResources }];
    }),
  );
  return { violations, stale: ACKNOWLEDGEMENTS.filter((reason) => !used.has(reason)) };
}

function withoutStack(constructPath = ''): string {
  return constructPath.slice(constructPath.indexOf('/') + 1);
}
