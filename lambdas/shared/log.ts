type Fields = Readonly<Record<string, unknown>>;

/** Lambda turns these into JSON lines with time, level and request id, since the functions log in JSON format. */
export const log = {
  info(message: string, fields: Fields = {}): void {
    console.info({ message, ...fields });
  },
  warn(message: string, fields: Fields = {}): void {
    console.warn({ message, ...fields });
  },
  error(message: string, error: unknown, fields: Fields = {}): void {
    console.error({ message, ...fields, error: errorFields(error) });
  },
};

function errorFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { text: String(error) };
  return { name: error.name, message: error.message, stack: error.stack };
}
