import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../../core/errors.ts';

/** Which addresses a request may go to, beyond public ones. */
export interface AddressPolicy {
  /** Allows this machine itself (127.0.0.0/8, ::1 and the names `localhost`). */
  readonly loopback: boolean;
  /** Host names that may resolve to private addresses (not loopback, link-local or reserved ones); exact, without port. */
  readonly allowedHosts: readonly string[];
  /** Networks that may be reached, such as 10.20.0.0/16; loopback and link-local ones only where `loopback` is on. */
  readonly allowedCidrs: readonly string[];
}

export interface AddressRules {
  /** Why a host name is refused before it is resolved, for people; undefined when it is not. Literals are addresses. */
  refuseHost(hostname: string): string | undefined;
  /** Why a connection to the address is refused; undefined when it is allowed. `hostname` is what resolved to it. */
  refuseAddress(address: string, hostname: string): string | undefined;
}

type Kind = keyof typeof RANGES;

/** First match names the kind. Sources: IANA special-purpose registries; cloud metadata services. */
const RANGES = {
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10'],
  private: ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  // Forms of IPv6 that carry an IPv4 address, which a router or the kernel may unwrap.
  translated: ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16'],
  reserved: [
    '0.0.0.0/8',
    '168.63.129.16/32', // Azure's host agent
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
    '3fff::/20',
    '5f00::/16',
  ],
} as const;

/** This machine and its link, in every form that a kernel connects to them by: 0.0.0.0 and :: are it too. */
const OWN = blockListOf([...RANGES.loopback, ...RANGES['link-local'], '0.0.0.0/8', '::/96']);

const KINDS = Object.entries(RANGES).map(([kind, cidrs]) => ({ kind: kind as Kind, list: blockListOf(cidrs) }));

/** Throws ConfigError for an allow-list entry that is no host name or network. */
export function createAddressRules(policy: AddressPolicy): AddressRules {
  const hosts = new Set(policy.allowedHosts.map(hostEntry));
  const literals = [...hosts].filter((host) => isIP(host) !== 0);
  const networks = blockListOf([...policy.allowedCidrs.map(cidrEntry), ...literals]);

  return {
    refuseHost: (hostname) => {
      const name = bareName(hostname);
      if (name === '') return 'it is empty';
      const isLocal = name === 'localhost' || name.endsWith('.localhost');
      return isLocal && !policy.loopback ? 'it is a loopback name' : undefined;
    },
    refuseAddress: (text, hostname) => {
      const address = plainAddress(text);
      if (address === undefined) return 'it has no readable address';
      const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
      const kind = KINDS.find(({ list }) => list.check(address, family))?.kind;
      if (kind === undefined || (kind === 'loopback' && policy.loopback)) return undefined;
      // In a deployed app these are Lambda's own: its runtime API hands out the events and secrets of every project.
      const isShut = !policy.loopback && OWN.check(address, family);
      if (networks.check(address, family) && !isShut) return undefined;
      if (kind === 'private' && hosts.has(bareName(hostname))) return undefined;
      const leads = isIP(bareName(hostname)) === 0 ? 'it resolves to' : 'it is';
      return `${leads} a ${kind} address`;
    },
  };
}

/** Lower case, without brackets and trailing dots. */
export function bareName(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '');
}

/** IPv4 inside ::ffff:0:0/96 becomes plain IPv4, as the kernel connects to it; a zone is cut off. */
function plainAddress(text: string): string | undefined {
  const withoutZone = bareName(text).replace(/%.*$/, '');
  return isIP(withoutZone) === 0 ? undefined : ipaddr.process(withoutZone).toString();
}

function blockListOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(bits), family);
  }
  return list;
}

function cidrEntry(entry: string): string {
  const match = /^\s*([0-9a-f.:]+)(?:\/(\d{1,3}))?\s*$/i.exec(entry);
  const version = isIP(match?.[1] ?? '');
  const bits = Number(match?.[2] ?? 0);
  if (version !== 0 && bits <= (version === 4 ? 32 : 128)) return entry.trim();
  throw new ConfigError([
    { field: 'allowed_cidrs', message: `"${entry}" is no network`, fix: 'write 10.20.0.0/16 or one address' },
  ]);
}

function hostEntry(entry: string): string {
  const name = bareName(entry.trim());
  if (isIP(name) !== 0 || /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name)) return name;
  throw new ConfigError([
    {
      field: 'allowed_hosts',
      message: `"${entry}" is no host name`,
      fix: 'write the name alone: no scheme, port or "*"',
    },
  ]);
}
