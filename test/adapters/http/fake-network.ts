import { isIP, connect as netConnect } from 'node:net';
import type { ConnectorFactory, OutboundOptions } from '../../../src/adapters/http/outbound-guard.ts';

export interface FakeNetwork {
  readonly options: Pick<OutboundOptions, 'resolver' | 'connector'>;
  /** Addresses that sockets were opened to, in order. */
  readonly connectedTo: string[];
  /** Host names asked for, in order. */
  readonly resolved: string[];
}

/**
 * A resolver that knows `dns` (a list of lists is one answer a look-up, the last one stays) and sockets that note the address
 * they would reach and then lead to the server on `port` of this machine, without TLS.
 */
export function createFakeNetwork(
  dns: Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>,
  port: number,
): FakeNetwork {
  const connectedTo: string[] = [];
  const resolved: string[] = [];
  const resolver = async (hostname: string) => {
    const asked = resolved.filter((name) => name === hostname).length;
    resolved.push(hostname);
    const known = dns[hostname];
    if (known === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    if (!isSequence(known)) return known;
    return known[Math.min(asked, known.length - 1)] ?? [];
  };
  const connector: ConnectorFactory = (lookup) => (target, callback) => {
    const open = (address: string) => {
      connectedTo.push(address);
      const socket = netConnect(port, '127.0.0.1');
      socket.once('connect', () => callback(null, socket));
      socket.once('error', (error) => callback(error, null));
    };
    // As net.connect does it: the look-up is not asked about literals.
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0) open(literal);
    else {
      lookup(target.hostname, { all: true }, (error, addresses) => {
        if (error !== null) callback(error, null);
        else open((addresses as { address: string }[])[0]?.address ?? 'nowhere');
      });
    }
  };
  return { options: { resolver, connector }, connectedTo, resolved };
}

function isSequence(
  known: readonly string[] | readonly (readonly string[])[],
): known is readonly (readonly string[])[] {
  return Array.isArray(known[0]);
}
