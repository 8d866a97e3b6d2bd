/**
 * The small internet of the world Web behind one HTTP server, with a host name for each site (`shop.sites.localhost`)
 * and tasks in WebArena's form. The proxy is tested on it where no WebArena is available. An episode begins at
 * `/_begin`, which sets one cookie for all sites; the cookie identifies the state of the episode.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../src/envs/env.ts';
import { pageDocument } from '../../src/worlds/web/browser/page-document.ts';
import { type NetState, netOf, parseAddress, sites } from '../../src/worlds/web/sites/net.ts';
import { shop } from '../../src/worlds/web/sites/shop/index.ts';
import { instanceById } from '../../src/worlds/web/tasks/index.ts';

/** The name that WebArena gives to a similar site. */
const likeNames: { [site: string]: string } = {
  shop: 'shopping',
  shop_admin: 'shopping_admin',
  forum: 'reddit',
  tracker: 'gitlab',
  map: 'map',
  wiki: 'wikipedia',
  home: 'homepage',
};

interface Visit {
  seed: number;
  state: NetState;
}

const labelOf = (host: string) => host.replace(/\.test$/, '');
const domain = 'sites.localhost';

async function formOf(request: IncomingMessage): Promise<{ [name: string]: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
}

export class SixSites {
  private readonly visits = new Map<string, Visit>();
  private readonly server = createServer((request, response) => void this.answer(request, response));
  /** Number of pages sent. */
  pages = 0;

  async listen(): Promise<this> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return this;
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((done) => this.server.close(done));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  addressOf(host: string): string {
    return `http://${labelOf(host)}.${domain}:${this.port}`;
  }

  /** Replaces the addresses in a text of the small internet by those of this server. */
  served(text: string): string {
    return sites.reduce((mapped, { host }) => mapped.replaceAll(`http://${host}`, this.addressOf(host)), text);
  }

  /** Sites as in a configuration of the proxy. */
  get config(): { [name: string]: { address: string } } {
    return Object.fromEntries(sites.map(({ name, host }) => [likeNames[name], { address: this.addressOf(host) }]));
  }

  /** A task of the small internet in WebArena's form. */
  task(id: number): object {
    const { intent, start, evaluation, template } = instanceById(id)!;
    const placed = (text: string) =>
      sites.reduce(
        (mapped, { name, host }) => mapped.replaceAll(`http://${host}`, `__${likeNames[name].toUpperCase()}__`),
        text,
      );
    const [first, ...others] = start;
    const { host } = parseAddress(first)!;
    const begin = `http://${host}/_begin?id=${id}&to=${encodeURIComponent(this.served(first))}`;
    return {
      task_id: id,
      sites: template.sites.map((name) => likeNames[name]),
      require_login: false,
      storage_state: null,
      start_url: placed([begin, ...others].join(' |AND| ')),
      geolocation: null,
      intent,
      eval: JSON.parse(
        placed(JSON.stringify({ program_html: [], reference_answers: null, reference_url: '', ...evaluation })),
      ),
    };
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const label = (request.headers.host ?? '').split('.')[0];
    const site = sites.find(({ host }) => labelOf(host) === label);
    const url = new URL(request.url ?? '/', `http://${site?.host ?? 'x.test'}`);
    if (!site || url.pathname === '/favicon.ico') return void response.writeHead(404).end();
    if (url.pathname === '/_begin') return this.begin(url, response);
    const cookie = /(?:^|; )episode=([^;]*)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    const visit = this.visits.get(cookie) ?? this.stranger(response);
    const form = request.method === 'POST' ? await formOf(request) : {};
    const net = netOf(visit.seed);
    const before = net.stateOf(site as never, visit.state) as Json;
    const siteRequest = { method: request.method as 'GET' | 'POST', form, ...parseAddress(url.href)! };
    const answer = site.handle(net.dataOf(site), before, siteRequest);
    if (answer.state !== undefined) visit.state = { ...visit.state, [site.backend]: answer.state };
    if (answer.kind === 'redirect') return void response.writeHead(303, { location: this.served(answer.to) }).end();
    this.pages++;
    response.writeHead(answer.status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(this.served(pageDocument(answer.title, answer.html)));
  }

  /** A visit without an episode is not logged in anywhere. */
  private stranger(response: ServerResponse): Visit {
    const net = netOf(1);
    const store = net.stateOf(shop as never, {}) as { [field: string]: Json };
    return this.receive(response, { seed: 1, state: { [shop.backend]: { ...store, customer: false, admin: false } } });
  }

  private receive(response: ServerResponse, visit: Visit): Visit {
    const name = `e${this.visits.size}`;
    this.visits.set(name, visit);
    response.setHeader('set-cookie', `episode=${name}; Domain=${domain}; Path=/`);
    return visit;
  }

  private begin(url: URL, response: ServerResponse): void {
    const { netSeed, state } = instanceById(Number(url.searchParams.get('id')))!;
    this.receive(response, { seed: netSeed, state: state ?? {} });
    response.writeHead(303, { location: url.searchParams.get('to')! }).end();
  }
}
