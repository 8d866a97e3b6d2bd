/**
 * The simulated internet: all sites by host. The data of a site are generated from the seed on first request, so that a
 * task pays only for the sites it visits. The state is one plain object per backend; requests do not modify it but
 * return a new one. To add a site, add a folder and a line here.
 */
import type { Json } from '../../../envs/env.ts';
import { forum } from './forum/index.ts';
import { home } from './home/index.ts';
import { map } from './map/index.ts';
import { shop } from './shop/index.ts';
import { shopAdmin } from './shop-admin/index.ts';
import type { AnySite, SiteRequest } from './site.ts';
import { tracker } from './tracker/index.ts';
import { wiki } from './wiki/index.ts';

export const sites = [shop, shopAdmin, forum, tracker, map, wiki, home] as unknown as readonly AnySite[];
const byHost = new Map(sites.map((site) => [site.host, site]));

/** Changed states by backend. A missing backend is in its initial state. */
export type NetState = { readonly [backend: string]: Json };

export interface NetRequest {
  method: 'GET' | 'POST';
  url: string;
  form: { [name: string]: string };
}

export interface NetAnswer {
  /** Final address after redirects. */
  url: string;
  title: string;
  html: string;
  status: number;
  state: NetState;
}

const mostRedirects = 8;
const mostKept = 64;

export class Net {
  private readonly data = new Map<string, unknown>();

  constructor(readonly seed: number) {}

  dataOf<Data>(site: { backend: string; open(seed: number): Data }): Data {
    if (!this.data.has(site.backend)) this.data.set(site.backend, site.open(this.seed));
    return this.data.get(site.backend) as Data;
  }

  stateOf<State>(
    site: { backend: string; open(seed: number): never; start(data: never): State },
    state: NetState,
  ): State {
    return (state[site.backend] ?? this.begin(site as unknown as AnySite)) as State;
  }

  private readonly begun = new Map<string, Json>();
  private begin(site: AnySite): Json {
    if (!this.begun.has(site.backend)) this.begun.set(site.backend, site.start(this.dataOf(site)));
    return this.begun.get(site.backend)!;
  }

  /** Answer to a request, or null if the address leads to no site. */
  ask(state: NetState, request: NetRequest): NetAnswer | null {
    let { method, url, form } = request;
    let now = state;
    for (let k = 0; k < mostRedirects; k++) {
      const parsed = parseAddress(url);
      const site = parsed && byHost.get(parsed.host);
      if (!parsed || !site) return null;
      const before = (now[site.backend] ?? this.begin(site)) as Json;
      const answer = site.handle(this.dataOf(site), before, { method, form, ...parsed });
      if (answer.state !== undefined && answer.state !== before) now = { ...now, [site.backend]: answer.state };
      if (answer.kind === 'page')
        return { url, title: answer.title, html: answer.html, status: answer.status, state: now };
      url = answer.to.startsWith('/') ? `http://${site.host}${answer.to}` : answer.to;
      method = 'GET';
      form = {};
    }
    return null;
  }
}

const nets = new Map<number, Net>();

/** The internet of a seed. The most recently created ones are cached with their data. */
export function netOf(seed: number): Net {
  let net = nets.get(seed);
  if (!net) {
    net = new Net(seed);
    if (nets.size >= mostKept) nets.delete(nets.keys().next().value!);
    nets.set(seed, net);
  }
  return net;
}

const decode = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

function parseQuery(text: string): { [name: string]: string } {
  const found: { [name: string]: string } = Object.create(null);
  for (const entry of text.split('&')) {
    const at = entry.indexOf('=');
    const name = decode(at < 0 ? entry : entry.slice(0, at));
    if (name && !(name in found)) found[name] = at < 0 ? '' : decode(entry.slice(at + 1));
  }
  return found;
}

/** Host, decoded path and query of an http address, or null for any other address. */
export function parseAddress(url: string): (Pick<SiteRequest, 'path' | 'query'> & { host: string }) | null {
  const found = /^http:\/\/([^/?#\s]+)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s.exec(url);
  if (!found) return null;
  const [, host, path, query = ''] = found;
  return { host: host.toLowerCase(), path: decode(path || '/'), query: parseQuery(query) };
}

/** Resolves a link's address relative to its page. */
export function resolve(href: string, base: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return href;
  const origin = /^http:\/\/[^/?#]+/.exec(base)?.[0] ?? '';
  if (href.startsWith('/')) return origin + href;
  if (href.startsWith('?')) return base.replace(/[?#].*$/s, '') + href;
  if (href.startsWith('#')) return base.replace(/#.*$/s, '') + href;
  return base.replace(/[^/]*$/s, '') + href;
}
