/**
 * The machines that an episode may reach: the configured sites, and the public hosts named beside them. Each name is
 * resolved once and keeps its address, so DNS rebinding cannot redirect it later.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** A host name of the configuration has no address, or a forbidden one. */
export class HostError extends Error {
  override name = 'HostError';
}

export interface Target {
  host: string;
  port: number;
  /** Address to which the name resolved at the start. */
  address: string;
}

// Addresses that are not public: IANA's special-purpose registries (iana.org/assignments/iana-ipv4-special-registry and
// ...ipv6...).
const special = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  special.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  special.addSubnet(net, bits, 'ipv6');

/** True if an address belongs to this machine, a local network or nobody. IPv4 inside IPv6 is checked as IPv4. */
export function isPrivate(address: string): boolean {
  const inside = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (inside) return special.check(inside, 'ipv4');
  const family = isIP(address);
  if (family === 0) return true;
  return special.check(address, family === 4 ? 'ipv4' : 'ipv6') || (family === 6 && /^::ffff:/i.test(address));
}

export type Lookup = (host: string) => Promise<string>;

/** `*.localhost` is always this machine (RFC 6761, section 6.3), even if the resolver has another answer. */
const systemLookup: Lookup = async (host) =>
  /(?:^|\.)localhost$/.test(host) ? '127.0.0.1' : (await lookup(host)).address;

const bare = (host: string) => host.replace(/^\[|\]$/g, '');
const defaultPorts: { [protocol: string]: number } = { 'http:': 80, 'https:': 443 };

export interface Allowed {
  /** Addresses of configured sites; they may be private. */
  sites: readonly string[];
  /** `host` or `host:port`; public hosts only. */
  also: readonly string[];
}

export class Hosts {
  private constructor(
    private readonly exact: ReadonlyMap<string, string>,
    private readonly anyPort: ReadonlyMap<string, string>,
  ) {}

  /** Resolves all names. Throws `HostError`. */
  static async open({ sites, also }: Allowed, find: Lookup = systemLookup): Promise<Hosts> {
    const known = new Map<string, string>();
    const addressOf = async (host: string) => {
      if (isIP(bare(host))) return bare(host);
      const address = known.get(host) ?? (await find(host).catch(() => null));
      if (!address)
        throw new HostError(`The host ${host} cannot be resolved: check its spelling in the configuration.`);
      known.set(host, address);
      return address;
    };
    const exact = new Map<string, string>();
    const anyPort = new Map<string, string>();
    for (const site of sites) {
      const { hostname, port, protocol } = new URL(site);
      exact.set(`${hostname}:${port || defaultPorts[protocol]}`, await addressOf(hostname));
    }
    for (const entry of also) {
      const host = entry.replace(/:\d+$/, '');
      const address = await addressOf(host);
      if (isPrivate(address))
        throw new HostError(`${host} in "alsoAllow" is not a public host (${address}): configure it as a site.`);
      if (entry === host) anyPort.set(host, address);
      else exact.set(entry, address);
    }
    return new Hosts(exact, anyPort);
  }

  /** Returns the address to connect to, or null if the connection is not allowed. */
  target(host: string, port: number): Target | null {
    const address = this.exact.get(`${host.toLowerCase()}:${port}`) ?? this.anyPort.get(host.toLowerCase());
    return address === undefined ? null : { host, port, address };
  }

  /** Like `target`, for a URL. Also null if it is neither http nor https. */
  targetOf(url: string): Target | null {
    if (!URL.canParse(url)) return null;
    const { hostname, port, protocol } = new URL(url);
    const usual = defaultPorts[protocol];
    return usual === undefined ? null : this.target(hostname, Number(port) || usual);
  }

  /** Lines for a person: each name with the address it keeps while the proxy runs. */
  get pinned(): string[] {
    const names = [...this.exact, ...this.anyPort].filter(([host, address]) => !host.includes(address));
    return names.map(([host, address]) => `${host} is ${address}`);
  }
}
