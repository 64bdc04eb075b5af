import { describe, expect, it } from 'vitest';
import { ROUTES, routeKey } from '../../lambdas/routes.ts';

describe('route table', () => {
  it('names each operation and each route once', () => {
    expect(new Set(ROUTES.map(({ operation }) => operation)).size).toBe(ROUTES.length);
    expect(new Set(ROUTES.map(routeKey)).size).toBe(ROUTES.length);
  });

  it.each(ROUTES)('$method $path has a path that API Gateway takes', ({ path }) => {
    expect(path).toMatch(/^(\/openapi\.json|\/console(\/\{file\})?|\/api(\/([a-z-]+|\{[A-Za-z]+\}))+)$/);
  });

  it('lets no two routes of a method differ only in the names of their variables', () => {
    const shapes = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  it('lets only the webhook and its gates in with a webhook secret', () => {
    expect(ROUTES.filter(({ auth }) => auth === 'webhook').map(({ operation }) => operation)).toEqual([
      'startGateRun',
      'readGate',
    ]);
  });
});
