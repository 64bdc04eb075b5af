import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_ROWS,
  formatRoute,
  isSamePlace,
  parseRoute,
  type Route,
  runRoute,
  splitId,
} from '../../src/console/routing/route.ts';

describe('the address of the console', () => {
  it.each<[string, Route]>([
    ['', { view: 'projects' }],
    ['#', { view: 'projects' }],
    ['#/', { view: 'projects' }],
    ['#/projects/shop', { view: 'evals', project: 'shop' }],
    ['#/projects/shop/', { view: 'evals', project: 'shop' }],
    ['#/projects/shop/datasets', { view: 'datasets', project: 'shop' }],
    ['#/projects/shop/else', { view: 'unknown' }],
    ['#/projects', { view: 'unknown' }],
    ['#/datasets/shop.faq', { view: 'dataset', id: 'shop.faq' }],
    ['#/evals/shop.faq', { view: 'eval', id: 'shop.faq' }],
    ['#/evals/shop.faq/more', { view: 'unknown' }],
    ['#/runs/r-1', { view: 'run', id: 'r-1', rows: ALL_ROWS }],
    [
      '#/runs/r-1?failed=1&status=skipped&q=a+b&row=x',
      { view: 'run', id: 'r-1', rows: { failedOnly: true, status: 'skipped', search: 'a b', row: 'x' } },
    ],
    ['#/runs/r-1?failed=yes&else=1', { view: 'run', id: 'r-1', rows: ALL_ROWS }],
    ['#/compare/r-1/r-2', { view: 'compare', first: 'r-1', second: 'r-2', row: null }],
    ['#/compare/r-1', { view: 'unknown' }],
    ['#/compare/r-1/r-2/r-3', { view: 'unknown' }],
    ['#/%E0%A4%A/x', { view: 'unknown' }],
    ['#/evals/%zz', { view: 'eval', id: '%zz' }],
  ])('%j is a place', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  const text = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.isWellFormed());
  const route: fc.Arbitrary<Route> = fc.oneof(
    fc.constant<Route>({ view: 'projects' }),
    fc.record({ view: fc.constantFrom('evals' as const, 'datasets' as const), project: text }),
    fc.record({ view: fc.constantFrom('eval' as const, 'dataset' as const), id: text }),
    fc.record({
      view: fc.constant('run' as const),
      id: text,
      rows: fc.record({
        failedOnly: fc.boolean(),
        status: fc.constantFrom('', 'scored', 'skipped'),
        search: fc.oneof(fc.constant(''), text),
        row: fc.option(text),
      }),
    }),
    fc.record({ view: fc.constant('compare' as const), first: text, second: text, row: fc.option(text) }),
  );

  it('names any place so that it is found again, whatever its ids are', () => {
    fc.assert(
      fc.property(route, (place) => {
        expect(parseRoute(formatRoute(place))).toEqual(place);
      }),
    );
  });

  it('tells looking otherwise at a thing from looking at another', () => {
    expect(isSamePlace(runRoute('r-1'), runRoute('r-1', { search: 'x', row: 'y' }))).toBe(true);
    expect(isSamePlace(runRoute('r-1'), runRoute('r-2'))).toBe(false);
    expect(isSamePlace({ view: 'projects' }, { view: 'unknown' })).toBe(false);
  });

  it('splits an id at its first dot', () => {
    expect(splitId('shop.faq')).toEqual({ project: 'shop', name: 'faq' });
    expect(splitId('shop')).toEqual({ project: 'shop', name: '' });
  });
});
