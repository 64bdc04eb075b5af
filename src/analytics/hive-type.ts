/** A column's type, read from what Glue calls it. */
export type HiveType =
  | { readonly kind: 'string' | 'bigint' | 'double' | 'boolean' }
  | { readonly kind: 'array'; readonly element: HiveType }
  | { readonly kind: 'map'; readonly value: HiveType }
  | { readonly kind: 'struct'; readonly fields: readonly (readonly [name: string, type: HiveType])[] };

/** `map<string,struct<status:string,value:double>>` → its parts. Throws TypeError on a type that no table of ours has. */
export function parseHiveType(text: string): HiveType {
  const reader = new TypeReader(text);
  const type = reader.type();
  if (reader.rest !== '') throw new TypeError(`"${text}" goes on after its end: "${reader.rest}"`);
  return type;
}

class TypeReader {
  rest: string;

  constructor(text: string) {
    this.rest = text;
  }

  type(): HiveType {
    const word = this.word();
    switch (word) {
      case 'string':
      case 'bigint':
      case 'double':
      case 'boolean':
        return { kind: word };
      case 'array':
        return this.within(() => ({ kind: 'array', element: this.type() }));
      case 'map':
        return this.within(() => {
          if (this.word() !== 'string') throw new TypeError('keys of maps are strings');
          this.take(',');
          return { kind: 'map', value: this.type() };
        });
      case 'struct':
        return this.within(() => ({ kind: 'struct', fields: this.fields() }));
      default:
        throw new TypeError(`"${word}" is no type of a column`);
    }
  }

  private fields(): [string, HiveType][] {
    const fields: [string, HiveType][] = [];
    do {
      const name = this.word();
      this.take(':');
      fields.push([name, this.type()]);
    } while (this.takes(','));
    return fields;
  }

  private within(read: () => HiveType): HiveType {
    this.take('<');
    const type = read();
    this.take('>');
    return type;
  }

  private word(): string {
    const found = /^[a-z][a-z0-9_]*/.exec(this.rest)?.[0] ?? '';
    this.rest = this.rest.slice(found.length);
    return found;
  }

  private takes(mark: string): boolean {
    if (!this.rest.startsWith(mark)) return false;
    this.rest = this.rest.slice(mark.length);
    return true;
  }

  private take(mark: string): void {
    if (!this.takes(mark)) throw new TypeError(`"${mark}" is missing before "${this.rest}"`);
  }
}
