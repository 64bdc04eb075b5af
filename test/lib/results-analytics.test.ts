import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { NAMED_QUERIES } from '../../src/analytics/named-queries.ts';
import { RowResultSchema } from '../../src/core/schemas/result.ts';
import { flatten, onlyResource, type Resource, resourcesOf, synthStage } from './synth.ts';

const { evaluation } = synthStage();
const tables = new Map(
  resourcesOf(evaluation, 'AWS::Glue::Table').map(([, resource]) => {
    const input = resource.Properties.TableInput as TableInput;
    return [input.Name, { resource, input }] as const;
  }),
);

interface TableInput {
  readonly Name: string;
  readonly PartitionKeys: readonly { readonly Name: string; readonly Type: string }[];
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly StorageDescriptor: {
    readonly Location: unknown;
    readonly SerdeInfo: { readonly SerializationLibrary: string };
    readonly Columns: readonly { readonly Name: string; readonly Type: string }[];
  };
}

const inputOf = (name: string): TableInput => {
  const table = tables.get(name);
  if (table === undefined) throw new Error(`no table ${name}`);
  return table.input;
};

describe('tables', () => {
  it('are the results, their copy as Parquet, their outcomes by row, and the runs', () => {
    expect([...tables.keys()].sort()).toEqual(['row_outcomes', 'row_results', 'row_results_parquet', 'runs']);
  });

  it.each([
    ['row_results', 'results'],
    ['row_outcomes', 'tables/row_outcomes'],
    ['runs', 'tables/runs'],
    ['row_results_parquet', 'parquet'],
  ])('%s lies under %s/, a folder a day, found by projection', (name, prefix) => {
    const { Parameters, StorageDescriptor, PartitionKeys } = inputOf(name);
    expect(flatten(StorageDescriptor.Location)).toMatch(new RegExp(`^s3://<\\w+>/${prefix}/$`));
    expect(flatten(Parameters['storage.location.template'])).toBe(`${flatten(StorageDescriptor.Location)}dt=\${dt}/`);
    expect(PartitionKeys).toMatchObject([{ Name: 'dt', Type: 'string' }]);
    expect(Parameters).toMatchObject({
      'projection.enabled': 'true',
      'projection.dt.type': 'date',
      'projection.dt.format': 'yyyy-MM-dd',
      'projection.dt.range': '2026-01-01,NOW',
    });
  });

  it('need no column in every query: a query over many runs works', () => {
    for (const { input } of tables.values()) expect(Object.values(input.Parameters)).not.toContain('injected');
  });

  it('use the SerDe that AWS advises', () => {
    for (const [name, { input }] of tables) {
      const serde = name.endsWith('_parquet')
        ? 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe'
        : 'org.apache.hive.hcatalog.data.JsonSerDe';
      expect(input.StorageDescriptor.SerdeInfo.SerializationLibrary).toBe(serde);
    }
  });

  it('have lower-case names, each once, and no more than 400 KB of them', () => {
    for (const { input } of tables.values()) {
      const names = [...input.StorageDescriptor.Columns, ...input.PartitionKeys].map((column) => column.Name);
      expect(names.filter((name) => !/^[a-z_0-9]+$/.test(name))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
      expect(JSON.stringify(input).length).toBeLessThan(400_000);
    }
  });

  it('name every field of a result, and what reads the text columns', () => {
    const names = inputOf('row_results').StorageDescriptor.Columns.map((column) => column.Name);
    expect(names).toEqual([...RowResultSchema.keyof().options, 'json_columns']);
  });

  it('type no free-form value as an object', () => {
    const types = new Map(inputOf('row_results').StorageDescriptor.Columns.map(({ Name, Type }) => [Name, Type]));
    for (const name of ['input', 'expected', 'trajectory', 'metadata']) expect(types.get(name)).toBe('string');
    expect(types.get('scores')).toMatch(/^map<string,struct</);
  });

  it('the copy has the columns of the results', () => {
    const columnsOf = (name: string) => inputOf(name).StorageDescriptor.Columns;
    expect(columnsOf('row_results_parquet')).toEqual(columnsOf('row_results'));
  });

  it('wait for their database', () => {
    for (const { resource } of tables.values())
      expect((resource as Resource & { DependsOn?: unknown }).DependsOn).toEqual([
        expect.stringMatching(/^AnalyticsDatabase/),
      ]);
  });
});

describe('named queries', () => {
  it('are all saved in the workgroup and the database of the stage', () => {
    const saved = resourcesOf(evaluation, 'AWS::Athena::NamedQuery').map(([, { Properties }]) => Properties);
    expect(saved.map(({ Name }) => Name).sort()).toEqual(NAMED_QUERIES.map(({ name }) => `assay_${name}`).sort());
    expect(saved.length).toBeGreaterThanOrEqual(8);
    for (const { WorkGroup, Database } of saved) expect([WorkGroup, Database]).toEqual(['assay-prod', 'assay_prod']);
  });

  it('say what their question marks stand for', () => {
    evaluation.hasResourceProperties('AWS::Athena::NamedQuery', {
      Name: 'assay_worst_rows',
      QueryString: Match.stringLikeRegexp('Parameters, in order: dt \\(.*\\), run \\(run id\\)\\n'),
    });
  });

  it('wait for their workgroup, which takes them along when it goes', () => {
    expect(onlyResource(evaluation, 'AWS::Athena::WorkGroup').Properties.RecursiveDeleteOption).toBe(true);
  });
});

it('lets nobody query: analysts get their rights from the account', () => {
  const policies = JSON.stringify(resourcesOf(evaluation, 'AWS::IAM::Policy'));
  expect(policies).not.toMatch(/"(athena|glue):/);
});
