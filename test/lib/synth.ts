import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { addAssayStacks } from '../../lib/assay-app.ts';
import { StageConfigSchema } from '../../lib/config.ts';
import { readCdkContext } from '../../lib/render-workflow.ts';

export interface SynthesizedStage {
  readonly app: App;
  readonly storage: Template;
  readonly evaluation: Template;
}

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** Both templates of a stage, with the flags of cdk.json and without bundling. */
export function synthStage(settings: Record<string, unknown> = {}): SynthesizedStage {
  process.env.CDK_VALIDATION = 'false'; // CloudFormation's own rules take 2 s; `cdk synth` runs them
  const context = { ...readCdkContext(), 'aws:cdk:bundling-stacks': [] };
  const app = new App({ context, outdir: mkdtempSync(join(tmpdir(), 'assay-synth-')) });
  const config = StageConfigSchema.parse({ stage: 'prod', ...settings });
  const { storage, evaluation } = addAssayStacks(app, config);
  return { app, storage: Template.fromStack(storage), evaluation: Template.fromStack(evaluation) };
}

/** Resources of one type, by logical id. */
export function resourcesOf(template: Template, type: string): [string, Resource][] {
  return Object.entries(template.findResources(type)) as [string, Resource][];
}

/** The one resource of a type. */
export function onlyResource(template: Template, type: string): Resource {
  const [found, ...others] = resourcesOf(template, type);
  if (found === undefined || others.length > 0) throw new Error(`not exactly one ${type}`);
  return found[1];
}

/** Text of a value with references shown as `<name>`, to match ARNs by their fixed parts. */
export function flatten(value: unknown): string {
  if (typeof value === 'string') return value;
  const node = value as Record<string, unknown>;
  if ('Ref' in node) return `<${String(node.Ref)}>`;
  if ('Fn::ImportValue' in node) return `<${String(node['Fn::ImportValue']).split(':')[1]}>`;
  if ('Fn::GetAtt' in node) return `<${(node['Fn::GetAtt'] as string[]).join('.')}>`;
  if ('Fn::Join' in node) {
    const [separator, parts] = node['Fn::Join'] as [string, unknown[]];
    return parts.map(flatten).join(separator);
  }
  return JSON.stringify(value);
}
