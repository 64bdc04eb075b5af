import type { ParquetWriter } from 'hyparquet-writer';
import { type HiveType, parseHiveType } from './hive-type.ts';
import type { Column } from './tables.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** A table's columns as Parquet has them: everything may be null, lists and maps in the three-level form that Athena reads. */
export function parquetSchema(columns: readonly Column[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.flatMap(({ name, type }) => elementsOf(name, parseHiveType(type))),
  ];
}

/**
 * What turns one JSON value of a column into what the writer takes: whole numbers become BigInt, structs keep the fields
 * that the table has. Throws TypeError where the value is of another type than the column.
 */
export function parquetValue(type: HiveType): (value: unknown) => unknown {
  switch (type.kind) {
    case 'string':
      return orNull(String);
    case 'boolean':
      return orNull((value) => expect(value, 'boolean'));
    case 'double':
      return orNull((value) => expect(value, 'number'));
    case 'bigint':
      return orNull((value) => BigInt(expect(value, 'number')));
    case 'array': {
      const element = parquetValue(type.element);
      return orNull((value) => {
        if (!Array.isArray(value)) throw new TypeError(`a list is wanted, not ${typeof value}`);
        return value.map(element);
      });
    }
    case 'map': {
      const member = parquetValue(type.value);
      return orNull((value) => Object.entries(value as object).map(([key, entry]) => ({ key, value: member(entry) })));
    }
    case 'struct': {
      const fields = type.fields.map(([name, field]) => [name, parquetValue(field)] as const);
      return orNull((value) =>
        Object.fromEntries(fields.map(([name, convert]) => [name, convert((value as Record<string, unknown>)[name])])),
      );
    }
  }
}

function elementsOf(name: string, type: HiveType): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  switch (type.kind) {
    case 'string':
      return [{ ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }];
    case 'bigint':
      return [{ ...optional, type: 'INT64' }];
    case 'double':
      return [{ ...optional, type: 'DOUBLE' }];
    case 'boolean':
      return [{ ...optional, type: 'BOOLEAN' }];
    case 'array':
      return [
        { ...optional, converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        ...elementsOf('element', type.element),
      ];
    case 'map':
      return [
        { ...optional, converted_type: 'MAP', num_children: 1 },
        { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
        { name: 'key', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
        ...elementsOf('value', type.value),
      ];
    case 'struct':
      return [
        { ...optional, num_children: type.fields.length },
        ...type.fields.flatMap(([field, of]) => elementsOf(field, of)),
      ];
  }
}

const orNull = (convert: (value: unknown) => unknown) => (value: unknown) =>
  value === null || value === undefined ? null : convert(value);

function expect<Name extends 'boolean' | 'number'>(
  value: unknown,
  name: Name,
): Name extends 'number' ? number : boolean;
function expect(value: unknown, name: 'boolean' | 'number'): unknown {
  if (typeof value === name) return value;
  throw new TypeError(`a ${name} is wanted, not ${JSON.stringify(value)}`);
}
