import { describe, expect, it } from 'vitest';
import { TestApi } from './api.ts';

describe('the console', () => {
  it('is a page that lets in nothing but its own files, and no frame around it', async () => {
    const { status, headers, text } = await new TestApi().call('GET', '/console');
    expect([status, text]).toEqual([200, '<!doctype html>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    const policy = headers['content-security-policy'] ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy.split('; ')).toContain(part);
    }
    expect(policy).not.toMatch(/unsafe|data:|https?:|\*/);
  });

  it('gives files with a hash in their name for good, and says so without sending them again', async () => {
    const api = new TestApi();
    const first = await api.call('GET', '/console/app.js');
    expect([first.status, first.text]).toEqual([200, 'run()']);
    expect(first.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(first.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const etag = first.headers.etag ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await api.call('GET', '/console/app.js', { headers: { 'If-None-Match': known } });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    }
    const other = await api.call('GET', '/console/app.js', { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  it.each([
    'nothing.js',
    'index.html',
    'closed.html',
    '../index.html',
    '../../etc/passwd',
    '..%2f..%2fenv.ts',
    'app.js/',
    'APP.JS',
    'constructor',
    '__proto__',
    '',
    '\u0000',
  ])('has no file %j', async (file) => {
    const { status, headers, json } = await new TestApi().send({
      routeKey: 'GET /console/{file}',
      rawPath: `/console/${file}`,
      pathParameters: { file },
    });
    expect([status, json.code, headers['cache-control']]).toEqual([404, 'not-found', 'no-store']);
  });

  it('is closed where calls are signed with AWS credentials, and says why', async () => {
    const api = new TestApi({ auth: 'iam' });
    expect((await api.call('GET', '/console')).text).toBe('closed');
  });

  it('is moved to the address without a slash at its end, which its files are relative to', async () => {
    const { status, headers } = await new TestApi().send({ routeKey: 'GET /console', rawPath: '/dev/console/' });
    expect([status, headers.location]).toEqual([302, '../console']);
  });
});
