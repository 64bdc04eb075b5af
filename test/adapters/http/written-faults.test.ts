import { describe, expect, it } from 'vitest';
import { writtenFaults } from '../../../src/adapters/http/written-faults.ts';
import { parseEval } from '../../../src/core/config/parse-eval.ts';

function faultsOf(url: string, more: Record<string, unknown> = {}, loopback = false): string[] {
  const config = parseEval({
    name: 'faq',
    type: 'qa',
    dataset: 'faq',
    target: { url },
    scorers: ['contains'],
    ...more,
  });
  return writtenFaults(config, { loopback }).map(({ field, message }) => `${field}: ${message}`);
}

describe('writtenFaults', () => {
  it.each([
    'https://api.example.com/answer',
    'http://api.example.com:8080/{{input}}?q={{metadata.x}}',
    'https://api.example.com/{{secrets.PATH}}',
    'https://8.8.8.8/',
    'https://{{secrets.HOST}}/answer',
    '{{secrets.BASE_URL}}/{{input}}',
    '{{secrets.SCHEME}}://api.example.com/',
    'https://api.example.com:{{secrets.PORT}}/a@b',
    'https://api.example.com/a:b@c',
    'https://10.0.0.{{secrets.N}}/',
  ])('lets %s pass', (url) => {
    expect(faultsOf(url)).toEqual([]);
  });

  it.each([
    ['https://user:hunter2@api.example.com/', /credentials/],
    ['https://user@api.example.com/', /credentials/],
    ['https:user:hunter2@api.example.com/', /credentials/],
    ['https://user:hunter2@{{secrets.HOST}}/', /credentials/],
    ['{{secrets.SCHEME}}://user:hunter2@api.example.com/', /credentials/],
    ['https://user:hunter2@api.example.com:{{secrets.PORT}}/', /credentials/],
    ['file:///etc/passwd', /file: URLs are refused/],
    ['file://{{secrets.FILE}}', /file: URLs are refused/],
    ['ftp://api.example.com/', /ftp: URLs are refused/],
    ['api.example.com/answer', /not valid/],
    ['http://[fd00::1]/', /private address/],
    ['http://169.254.169.254/latest/meta-data', /link-local/],
    ['http://2852039166/', /link-local/],
    ['http://10.0.0.1/', /private address.*allowed_hosts/],
    ['http://[::ffff:10.0.0.1]/', /(private|translated) address/],
    ['http://0x7f.1/', /loopback/],
    ['http://127.0.0.1:4010/answer', /loopback/],
    ['http://localhost/', /loopback/],
    ['https://api.example.com/{{inptu}}', /inptu/],
  ])('refuses %s', (url, message) => {
    const faults = faultsOf(url);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^targets\.0\.url: /);
    expect(faults[0]).toMatch(message);
    expect(faults[0]).not.toContain('hunter2');
  });

  it('lets a literal pass that the eval allows', () => {
    expect(faultsOf('http://10.0.0.1/', { allowed_cidrs: ['10.0.0.0/8'] })).toEqual([]);
  });

  it('lets this machine pass where runs are on this machine', () => {
    expect(faultsOf('http://127.0.0.1:4010/answer', {}, true)).toEqual([]);
  });

  it('holds https_only', () => {
    expect(faultsOf('http://api.example.com/', { https_only: true })).toEqual([expect.stringMatching(/only https/)]);
  });

  it('tells of an allow list that is none', () => {
    expect(faultsOf('https://x.example/', { allowed_hosts: ['https://x'] })).toEqual([
      expect.stringMatching(/^allowed_hosts: .*no host name/),
    ]);
  });

  it('tells of every target', () => {
    const targets = [{ url: 'file:///x' }, { url: 'https://y.example/' }, { url: 'https://a:b@x.example/' }];
    const faults = faultsOf('', { target: undefined, targets });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual(['targets.0.url', 'targets.2.url']);
  });

  it('tells of answer paths and body templates', () => {
    const faults = faultsOf('https://x.example/', {
      target: { url: 'https://x.example/', response_path: '$..[', body_template: { q: '{{nothing}}' } },
    });
    expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual([
      expect.stringMatching(/^targets\.0\.body_template/),
      'targets.0.response_path',
    ]);
  });

  it('refuses a password in the URL of a judge', () => {
    const judge = { type: 'openai', url: 'http://key:hunter2@127.0.0.1:1/v1', model: 'm' };
    expect(faultsOf('https://x.example/', { judge })).toEqual(['judge.url: the URL holds credentials']);
  });
});
