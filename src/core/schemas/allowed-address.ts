import * as z from 'zod';

/** Host names of private targets that a project lets its evals call. */
export const AllowedHostSchema = z
  .string()
  .max(253)
  .regex(/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/, 'write the name alone, in lower case: no scheme, port or "*"');

/** A network, or one address. */
export const AllowedCidrSchema = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
  error: 'write a network such as 10.20.0.0/16, or one address',
});
