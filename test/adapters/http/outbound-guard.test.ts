import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createOutboundDispatcher,
  type OutboundDispatcher,
  type OutboundOptions,
} from '../../../src/adapters/http/outbound-guard.ts';
import { OutboundBlockedError } from '../../../src/adapters/http/url-rules.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import { createFakeNetwork } from './fake-network.ts';
import { type StubServer, sendJson, startStubServer } from './stub-server.ts';

const CLOUD = { loopback: false, allowedHosts: [], allowedCidrs: [], httpsOnly: false };
const PUBLIC = '93.184.215.14';

let server: StubServer;
const opened: OutboundDispatcher[] = [];

beforeEach(async () => {
  server = await startStubServer((response) => sendJson(response, { answer: 'ok' }));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((outbound) => outbound.close()));
  await server.close();
});

function open(dns: Parameters<typeof createFakeNetwork>[0] = {}, policy: Partial<OutboundOptions> = {}) {
  const network = createFakeNetwork(dns, server.port);
  const outbound = createOutboundDispatcher({ ...CLOUD, ...network.options, ...policy });
  opened.push(outbound);
  const fetchStatus = async (url: string) => {
    const response = await request(outbound.inspectUrl(url), { dispatcher: outbound.dispatcher });
    await response.body.dump();
    return response.statusCode;
  };
  /** What stands below the check of the text: the dispatcher alone. */
  const dispatchOnly = async (url: string) => {
    const response = await request(url, { dispatcher: outbound.dispatcher });
    await response.body.dump();
    return response.statusCode;
  };
  return { ...network, outbound, fetchStatus, dispatchOnly };
}

const DNS = {
  'api.example.com': [PUBLIC],
  '10.0.0.1.example.com': [PUBLIC],
  'intranet.attacker.example': ['10.1.2.3'],
  '169.254.169.254.nip.example': ['169.254.169.254'],
  'mixed.attacker.example': [PUBLIC, '192.168.0.10'],
  'mixed6.attacker.example': [PUBLIC, 'fd00:ec2::254'],
  'mapped.attacker.example': ['::ffff:169.254.169.254'],
  'zone.attacker.example': ['fe80::1%eth0'],
  'garbage.attacker.example': ['not an address'],
  'v6.example.com': ['2606:4700::1111'],
};

describe('createOutboundDispatcher', () => {
  it.each([
    'https://api.example.com/answer',
    'http://api.example.com/answer',
    'HTTPS://API.EXAMPLE.COM/x',
    'https://api.example.com:8443/x',
    ' https://api.example.com/x ',
    'https://10.0.0.1.example.com/x',
    'https://v6.example.com/x',
    'https://8.8.8.8/x',
    'http://172.15.255.255/x',
    'http://172.32.0.1/x',
    'http://100.63.255.255/x',
    'http://100.128.0.0/x',
    'http://11.0.0.0/x',
    'http://9.255.255.255/x',
    'http://192.169.0.0/x',
    'http://169.253.255.255/x',
    'http://198.17.255.255/x',
    'http://198.20.0.0/x',
    'http://223.255.255.255/x',
    'http://[2606:4700::1111]/x',
    'http://[::ffff:8.8.8.8]/x',
  ])('reaches %s', async (url) => {
    const { outbound, fetchStatus, connectedTo } = open(DNS);
    await outbound.checkUrl(url);
    expect(await fetchStatus(url)).toBe(200);
    expect(connectedTo).toHaveLength(1);
  });

  it.each([
    // every spelling of this machine, metadata services and private networks
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.255.255.255', '0', '0.0.0.0'],
    ...['169.254.169.254', '2852039166', '169.254.79.129', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
    ...['10.0.0.5', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.127.255.255'],
    ...['198.18.0.1', '198.19.255.255', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '0.1.2.3', '127.0.0.1.'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a00:5]', '[::127.0.0.1]', '[::7f00:1]'],
    ...[
      '[::ffff:0:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::a00:1]',
      '[2002:7f00:1::]',
      '[2001::1]',
      '[2001:db8::1]',
    ],
    ...['[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]', '[100::1]', '[3fff::1]'],
    ...['localhost', 'localhost:3000', 'localhost.', 'LOCALHOST', 'api.localhost', 'api.localhost..'],
    ...['１２７．０．０．１', '①②⑦.0.0.1', 'ⓛocalhost', '%6cocalhost', '%31%32%37.0.0.1'],
    // names that lead there
    ...[
      'intranet.attacker.example',
      '169.254.169.254.nip.example',
      'mixed.attacker.example',
      'mixed6.attacker.example',
    ],
    ...['mapped.attacker.example', 'zone.attacker.example', 'garbage.attacker.example'],
  ])('sends nothing to %s', async (host) => {
    const { outbound, fetchStatus, dispatchOnly, connectedTo } = open(DNS);
    const url = `http://${host}/latest`;
    await expect(outbound.checkUrl(url)).rejects.toBeInstanceOf(OutboundBlockedError);
    await expect(fetchStatus(url)).rejects.toBeInstanceOf(OutboundBlockedError);
    await expect(dispatchOnly(url)).rejects.toBeInstanceOf(OutboundBlockedError);
    expect(connectedTo).toEqual([]);
    expect(server.seen).toEqual([]);
  });

  it.each([
    '',
    'api.example.com/x',
    '/x',
    '//api.example.com/x',
    'http://256.256.256.256/x',
    'http://[::1/x',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_INFO',
    'data:application/json,%7B%22answer%22%3A%22ok%22%7D',
    'ftp://api.example.com/x',
    'javascript:alert(1)',
    'https://api.example.com@169.254.169.254/x',
    'https://user:password@api.example.com/x',
    'https://user@api.example.com/x',
  ])('refuses the URL %j by its text', async (url) => {
    const { outbound, resolved } = open(DNS);
    expect(() => outbound.inspectUrl(url)).toThrow(OutboundBlockedError);
    await expect(outbound.checkUrl(url)).rejects.toBeInstanceOf(OutboundBlockedError);
    expect(resolved).toEqual([]);
  });

  it('names the host and never the address behind it, nor credentials', async () => {
    const { outbound } = open(DNS);
    await expect(outbound.checkUrl('https://intranet.attacker.example/x')).rejects.toThrow(
      /intranet\.attacker\.example: it resolves to a private address/,
    );
    await expect(outbound.checkUrl('https://intranet.attacker.example/x')).rejects.not.toThrow(/10\.1\.2\.3/);
    expect(() => outbound.inspectUrl('https://u:hunter2@api.example.com/')).toThrow(/^(?!.*hunter2).*credentials/);
  });

  it('sends nothing when the name changes between the check and the connection', async () => {
    const { outbound, fetchStatus, connectedTo } = open({ 'rebind.example': [[PUBLIC], ['127.0.0.1']] });
    await outbound.checkUrl('https://rebind.example/x');
    await expect(fetchStatus('https://rebind.example/x')).rejects.toBeInstanceOf(OutboundBlockedError);
    expect(connectedTo).toEqual([]);
  });

  it('connects to the address it checked, asking once', async () => {
    const { fetchStatus, connectedTo, resolved } = open({ 'rebind.example': [[PUBLIC], ['127.0.0.1']] });
    expect(await fetchStatus('https://rebind.example/x')).toBe(200);
    expect(connectedTo).toEqual([PUBLIC]);
    expect(resolved).toEqual(['rebind.example']);
  });

  it('checks each new socket of a run again', async () => {
    const { dispatchOnly, connectedTo } = open({ 'rebind.example': [[PUBLIC], ['10.0.0.1']] });
    const outcomes = [];
    for (const origin of ['https://rebind.example', 'https://rebind.example:8443']) {
      outcomes.push(await dispatchOnly(origin).catch((error) => error.name));
    }
    expect(outcomes).toEqual([200, 'OutboundBlockedError']);
    expect(connectedTo).toEqual([PUBLIC]);
  });

  it('lets a host pass the check that does not resolve: no request can reach it', async () => {
    const { outbound, fetchStatus } = open({});
    await expect(outbound.checkUrl('https://nowhere.example/x')).resolves.toBeInstanceOf(URL);
    await expect(fetchStatus('https://nowhere.example/x')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('refuses http when only https is allowed, below the check of the text, too', async () => {
    const { outbound, dispatchOnly, connectedTo } = open(DNS, { httpsOnly: true });
    expect(() => outbound.inspectUrl('http://api.example.com/x')).toThrow(/only https/);
    await expect(dispatchOnly('http://api.example.com/x')).rejects.toBeInstanceOf(OutboundBlockedError);
    expect(connectedTo).toEqual([]);
    expect(await dispatchOnly('https://api.example.com/x')).toBe(200);
  });

  describe('with the loopback switch', () => {
    it.each([
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://localhost:8080/',
      'http://app.localhost/',
    ])('reaches %s', async (url) => {
      const { fetchStatus } = open({ localhost: ['127.0.0.1', '::1'], 'app.localhost': ['::1'] }, { loopback: true });
      expect(await fetchStatus(url)).toBe(200);
    });
    it.each(['http://169.254.169.254/', 'http://10.0.0.1/', 'http://0.0.0.0/', 'http://odd.localhost/'])(
      'still refuses %s',
      async (url) => {
        const { fetchStatus } = open({ 'odd.localhost': ['10.0.0.1'] }, { loopback: true });
        await expect(fetchStatus(url)).rejects.toBeInstanceOf(OutboundBlockedError);
      },
    );
  });

  describe('with an allow list', () => {
    const dns = {
      'api.corp.example': ['10.20.0.7'],
      'other.corp.example': ['10.20.0.8'],
      'meta.corp.example': ['169.254.169.254'],
      'self.corp.example': ['127.0.0.1'],
    };
    it.each([
      { policy: { allowedHosts: ['api.corp.example'] }, url: 'https://api.corp.example/x' },
      { policy: { allowedHosts: ['API.corp.example.'] }, url: 'https://api.corp.example./x' },
      { policy: { allowedHosts: ['10.20.0.9'] }, url: 'https://10.20.0.9/x' },
      { policy: { allowedCidrs: ['10.20.0.0/16'] }, url: 'https://other.corp.example/x' },
      { policy: { allowedCidrs: ['10.20.0.0/16'] }, url: 'https://[::ffff:10.20.1.1]/x' },
      { policy: { allowedCidrs: ['fd12::/16'] }, url: 'https://[fd12::1]/x' },
      { policy: { allowedCidrs: ['10.20.0.8'] }, url: 'https://other.corp.example/x' },
    ])('$policy reaches $url', async ({ policy, url }) => {
      const { outbound, fetchStatus } = open({ ...dns, 'api.corp.example.': ['10.20.0.7'] }, policy);
      await outbound.checkUrl(url);
      expect(await fetchStatus(url)).toBe(200);
    });

    it.each([
      { policy: { allowedHosts: ['api.corp.example'] }, url: 'https://other.corp.example/x' },
      { policy: { allowedHosts: ['api.corp.example'] }, url: 'https://10.20.0.7/x' },
      { policy: { allowedHosts: ['corp.example'] }, url: 'https://api.corp.example/x' },
      { policy: { allowedHosts: ['meta.corp.example'] }, url: 'https://meta.corp.example/x' },
      { policy: { allowedHosts: ['self.corp.example'] }, url: 'https://self.corp.example/x' },
      { policy: { allowedHosts: ['localhost'] }, url: 'https://localhost/x' },
      { policy: { allowedCidrs: ['10.20.0.0/24'] }, url: 'https://10.20.1.0/x' },
    ])('$policy does not reach $url', async ({ policy, url }) => {
      const { fetchStatus, connectedTo } = open({ ...dns, localhost: ['127.0.0.1'] }, policy);
      await expect(fetchStatus(url)).rejects.toBeInstanceOf(OutboundBlockedError);
      expect(connectedTo).toEqual([]);
    });

    const EVERYTHING = {
      allowedCidrs: ['0.0.0.0/0', '::/0'],
      allowedHosts: ['127.0.0.1', '169.254.169.254', '::1', '0.0.0.0'],
    };
    it.each([
      'https://127.0.0.1/x',
      'https://127.8.9.10/x',
      'https://[::1]/x',
      'https://[::ffff:127.0.0.1]/x',
      'https://[::7f00:1]/x',
      'https://0.0.0.0/x',
      'https://[::]/x',
      'https://169.254.169.254/x',
      'https://169.254.100.1/x',
      'https://[fe80::1]/x',
      'https://meta.corp.example/x',
      'https://self.corp.example/x',
    ])('no list opens %s, which is the function’s own machine and its link', async (url) => {
      const { fetchStatus, connectedTo } = open(dns, EVERYTHING);
      await expect(fetchStatus(url)).rejects.toBeInstanceOf(OutboundBlockedError);
      expect(connectedTo).toEqual([]);
    });

    it.each(['https://10.1.2.3/x', 'https://198.18.0.1/x', 'https://[fd12::1]/x'])('a list opens %s', async (url) => {
      expect(await open(dns, EVERYTHING).fetchStatus(url)).toBe(200);
    });

    it('on one’s own machine a list opens what one names', async () => {
      const { fetchStatus } = open(dns, { loopback: true, allowedCidrs: ['169.254.0.0/16'] });
      expect(await fetchStatus('https://169.254.1.1/x')).toBe(200);
    });

    it.each([
      { allowedCidrs: ['10.0.0.0/33'] },
      { allowedCidrs: ['10.0.0/8'] },
      { allowedCidrs: ['api.example.com'] },
      { allowedCidrs: [''] },
      { allowedCidrs: ['fd00::/129'] },
      { allowedHosts: ['*.corp.example'] },
      { allowedHosts: ['https://api.corp.example'] },
      { allowedHosts: ['api.corp.example:8443'] },
      { allowedHosts: [''] },
    ])('refuses the list %j', (policy) => {
      expect(() => createOutboundDispatcher({ ...CLOUD, ...policy })).toThrow(ConfigError);
    });
  });

  it('uses its look-up with real sockets', async () => {
    const resolver = async () => ['127.0.0.1'];
    const closed = createOutboundDispatcher({ ...CLOUD, resolver });
    const allowed = createOutboundDispatcher({ ...CLOUD, resolver, loopback: true });
    opened.push(closed, allowed);
    const url = `http://stub.example:${server.port}/x`;
    await expect(request(url, { dispatcher: closed.dispatcher })).rejects.toBeInstanceOf(OutboundBlockedError);
    expect(server.seen).toHaveLength(0);
    const response = await request(url, { dispatcher: allowed.dispatcher });
    expect(await response.body.json()).toEqual({ answer: 'ok' });
    expect(server.seen).toHaveLength(1);
  });

  it('checks literals with real sockets, which ask no look-up', async () => {
    const outbound = createOutboundDispatcher(CLOUD);
    opened.push(outbound);
    await expect(request(`${server.url}/x`, { dispatcher: outbound.dispatcher })).rejects.toBeInstanceOf(
      OutboundBlockedError,
    );
    expect(server.seen).toHaveLength(0);
  });

  it('shares one look-up among sockets opened at once', async () => {
    const { dispatchOnly, resolved } = open(DNS);
    await Promise.all(Array.from({ length: 8 }, () => dispatchOnly('https://api.example.com/x')));
    expect(resolved).toEqual(['api.example.com']);
  });
});
