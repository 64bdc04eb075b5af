import * as z from 'zod';
import { ConfigError, type Fault } from '../../src/core/errors.ts';

/** A positive whole number as the environment holds it. */
export const PositiveIntText = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a positive whole number')
  .transform(Number);

/** What every function is told. Input types are strings, as the environment holds them. */
export const SharedEnvSchema = z.object({
  /** Name of the stage; the `Stage` dimension of every metric. */
  STAGE: z.string().min(1),
  LOG_LEVEL: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  TABLE_NAME: z.string().min(1),
  BUCKET_NAME: z.string().min(1),
  /** First segment of secret names: `<prefix>/<project>/<NAME>`. */
  SECRETS_PREFIX: z.string().min(1),
  /** Event bus that the ends of runs are told on. */
  EVENT_BUS_NAME: z.string().min(1),
  /** Runs of a project under way at once, where it sets none itself. Absent: any number. */
  MAX_CONCURRENT_RUNS: PositiveIntText.optional(),
  /** Runs of a project that may wait for a slot. */
  MAX_QUEUED_RUNS: PositiveIntText,
  /** `true` under `assay dev` only: targets on this machine may be called. */
  ALLOW_LOOPBACK: z.enum(['true', 'false']).optional(),
});

/** Reads a function's environment. Throws ConfigError that names every variable missing or wrong, never a value. */
export function parseEnv<Schema extends z.ZodType>(
  schema: Schema,
  env: Record<string, string | undefined>,
): z.output<Schema> {
  const parsed = schema.safeParse(env);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(toFault));
}

function toFault(issue: z.core.$ZodIssue): Fault {
  const field = issue.path.join('.');
  return { field, message: issue.message, fix: `set the environment variable ${field} of the function` };
}
