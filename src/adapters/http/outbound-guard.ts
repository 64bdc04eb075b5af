import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector as BuildConnector, Dispatcher } from 'undici';
import type { AddressPolicy, AddressRules } from './address-rules.ts';
import { bareName, createAddressRules } from './address-rules.ts';
import { Agent, buildConnector } from './undici.ts';
import { inspectUrl, OutboundBlockedError, refusalMessage, refuseOrigin } from './url-rules.ts';

/** All the addresses of a host name, as text. Rejects when there are none. */
type Resolver = (hostname: string) => Promise<readonly string[]>;

/** Opens sockets; gets the checked lookup, which it must use for every host that is no literal. */
export type ConnectorFactory = (lookup: LookupFunction) => BuildConnector.connector;

export interface OutboundOptions extends AddressPolicy {
  /** Refuse http. */
  readonly httpsOnly: boolean;
  /** Sockets kept for one origin. @default 50 */
  readonly concurrency?: number;
  /** A longer body fails its request. @default 10 MB */
  readonly maxResponseBytes?: number;
  /** @default the system's resolver */
  readonly resolver?: Resolver;
  /** @default TCP or TLS, HTTP/1.1, 10 s to connect */
  readonly connector?: ConnectorFactory;
}

export interface OutboundDispatcher {
  /** For undici.request: connects only to addresses that pass. Whoever made it closes it. */
  readonly dispatcher: Dispatcher;
  readonly maxResponseBytes: number;
  /** Checks all that needs no resolver. Throws OutboundBlockedError. */
  inspectUrl(url: string): URL;
  /** The same, and every address the host has now. A host that does not resolve passes: no request can reach it. */
  checkUrl(url: string): Promise<URL>;
  close(): Promise<void>;
}

const DEFAULT_CONCURRENCY = 50;
const DEFAULT_MAX_RESPONSE_BYTES = 10_000_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The one way out. Checks literals, then every resolved address, and connects to one of those it checked, so that a name
 * cannot change its mind in between. Pooled sockets stay with the address they were checked for; each new one is checked again.
 */
export function createOutboundDispatcher(options: OutboundOptions): OutboundDispatcher {
  const rules = createAddressRules(options);
  const resolve = createCheckedResolver(rules, options.resolver ?? resolveWithSystem);
  const openSocket = (options.connector ?? connectDirectly)(lookupWith(resolve));
  const maxResponseBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;

  const connect: BuildConnector.connector = (target, callback) => {
    const refusal = refuseOrigin(target, rules, options.httpsOnly);
    if (refusal !== undefined) callback(new OutboundBlockedError(refusal), null);
    else openSocket(target, callback);
  };
  const dispatcher = new Agent({
    connect,
    connections: Math.max(1, options.concurrency ?? DEFAULT_CONCURRENCY),
    pipelining: 1,
    allowH2: false,
    maxResponseSize: maxResponseBytes,
    headersTimeout: 0, // the target's own limit spans the whole attempt
    bodyTimeout: 0,
  });

  const inspect = (text: string) => inspectUrl(text, rules, options.httpsOnly);
  return {
    dispatcher,
    maxResponseBytes,
    inspectUrl: inspect,
    checkUrl: async (text) => {
      const url = inspect(text);
      if (isIP(bareName(url.hostname)) === 0) await resolve(url.hostname).catch(rethrowBlocked);
      return url;
    },
    close: () => dispatcher.close(),
  };
}

/** Resolves a name and refuses it when any of its addresses is refused. Callers at the same moment share one look-up. */
function createCheckedResolver(rules: AddressRules, resolver: Resolver): Resolver {
  const pending = new Map<string, Promise<readonly string[]>>();
  const resolve = async (hostname: string) => {
    const refusal = rules.refuseHost(hostname);
    if (refusal !== undefined) throw new OutboundBlockedError(refusalMessage(hostname, refusal));
    const addresses = await resolver(hostname);
    for (const address of addresses) {
      const reason = rules.refuseAddress(address, hostname);
      if (reason !== undefined) throw new OutboundBlockedError(refusalMessage(hostname, reason));
    }
    if (addresses.length === 0) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
    return addresses;
  };
  return (hostname) => {
    const running = pending.get(hostname);
    if (running !== undefined) return running;
    const started = resolve(hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, started);
    return started;
  };
}

/** For net.connect and tls.connect: hands them the addresses that were checked, so these are the ones connected to. */
function lookupWith(resolve: Resolver): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        const first = all[0];
        if (options.all === true || first === undefined) callback(null, all);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

function connectDirectly(lookup: LookupFunction): BuildConnector.connector {
  return buildConnector({ lookup, allowH2: false, timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true });
}

async function resolveWithSystem(hostname: string): Promise<string[]> {
  const addresses = await systemLookup(hostname, { all: true });
  return addresses.map(({ address }) => address);
}

function rethrowBlocked(error: unknown): void {
  if (error instanceof OutboundBlockedError) throw error;
}
