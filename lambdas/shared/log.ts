type Fields = Readonly<Record<string, unknown>>;

type Level = 'info' | 'warn' | 'error';
export type LogSink = (level: Level, record: Fields) => void;

/** Lambda turns these into JSON lines with time, level and request id, since the functions log in JSON format. */
let sink: LogSink = (level, record) => console[level](record);

/** For drivers whose console is for people. */
export function setLogSink(to: LogSink): void {
  sink = to;
}

export const log = {
  info(message: string, fields: Fields = {}): void {
    sink('info', { message, ...fields });
  },
  warn(message: string, fields: Fields = {}): void {
    sink('warn', { message, ...fields });
  },
  error(message: string, error: unknown, fields: Fields = {}): void {
    sink('error', { message, ...fields, error: errorFields(error) });
  },
};

function errorFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { text: String(error) };
  return { name: error.name, message: error.message, stack: error.stack };
}
