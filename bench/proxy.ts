/**
 * Measures the proxy over the six sites: steps per second and memory per episode, with one and with twenty episodes at
 * once; and the calls, bytes and time of one observation of a page, beside WebArena's own way, which asks for each
 * node.
 */
import type { CDPSession } from 'playwright-core';
import { readConfig } from '../proxies/config.ts';
import { Hosts } from '../proxies/network/hosts.ts';
import { Chromium } from '../proxies/webarena/chromium.ts';
import { GuardedContext } from '../proxies/webarena/guarded-context.ts';
import { observe } from '../proxies/webarena/observation.ts';
import { megabytesBelow } from '../tests/proxies/memory.ts';
import { openOver } from '../tests/proxies/opened.ts';
import { Client, taskNamed } from '../tests/proxies/playing.ts';
import { SixSites } from '../tests/proxies/six-sites.ts';
import { cpu, type Result } from './result.ts';

interface ProxyRow {
  name: string;
  stepsPerSecond: number | null;
  megabytesPerEpisode: number | null;
  calls: number | null;
  kilobytes: number | null;
  ms: number | null;
}

const empty = { stepsPerSecond: null, megabytesPerEpisode: null, calls: null, kilobytes: null, ms: null };
const stepsEach = 12;
const viewport = { width: 1280, height: 720 };

/** Visits pages and goes back, as most of an episode does. */
async function walk(client: Client, env: number, sites: SixSites): Promise<void> {
  const addresses = ['map.test', 'wiki.test', 'forum.test'].map((host) => sites.served(`http://${host}/`));
  for (let k = 0; k < stepsEach; k++)
    await client.step(env, k % 3 === 2 ? 'go_back' : `goto [${addresses[k % addresses.length]}]`);
}

async function atOnce(count: number): Promise<ProxyRow> {
  const sites = await new SixSites().listen();
  const id = taskNamed('wiki-founded');
  const opened = await openOver(sites, [sites.task(id)], { viewport });
  const client = new Client(opened.proxy);
  const envs = await Promise.all(Array.from({ length: count }, () => client.create()));
  await client.reset(envs[0], id);
  const before = megabytesBelow(process.pid);
  await Promise.all(envs.slice(1).map((env) => client.reset(env, id)));
  const began = performance.now();
  await Promise.all(envs.map((env) => walk(client, env, sites)));
  const seconds = (performance.now() - began) / 1000;
  const grown = megabytesBelow(process.pid) - (count === 1 ? 0 : before);
  await opened.close();
  await sites.close();
  return {
    ...empty,
    name: count === 1 ? '1 episode (memory: the whole browser)' : `${count} at once (memory: each one more)`,
    stepsPerSecond: (count * stepsEach) / seconds,
    megabytesPerEpisode: grown / Math.max(1, count - 1),
  };
}

/** Wraps a session to count its calls and bytes. */
function counting(client: CDPSession) {
  const count = { calls: 0, bytes: 0 };
  const send = async (...args: Parameters<CDPSession['send']>) => {
    const answer = await client.send(...args);
    count.calls++;
    count.bytes += JSON.stringify(args).length + JSON.stringify(answer).length;
    return answer;
  };
  return { count, client: { send } as unknown as CDPSession };
}

const boundsOf =
  'function () { const r = this.getBoundingClientRect ? this.getBoundingClientRect() : (() => { const a = document.createRange(); a.selectNode(this); return a.getBoundingClientRect(); })(); return { x: r.x, y: r.y, width: r.width, height: r.height }; }';

/** Observes as WebArena does: the tree, the layout, and then two calls for each node. */
async function nodeByNode(client: CDPSession): Promise<void> {
  const { nodes } = await client.send('Accessibility.getFullAXTree', {});
  await client.send('DOMSnapshot.captureSnapshot', {
    computedStyles: [],
    includeDOMRects: true,
    includePaintOrder: true,
  });
  for (const { backendDOMNodeId } of nodes) {
    if (backendDOMNodeId === undefined) continue;
    const { object } = await client.send('DOM.resolveNode', { backendNodeId: backendDOMNodeId });
    await client.send('Runtime.callFunctionOn', {
      objectId: object.objectId,
      functionDeclaration: boundsOf,
      returnByValue: true,
    });
  }
}

async function looks(): Promise<ProxyRow[]> {
  const sites = await new SixSites().listen();
  const { webarena } = readConfig({ webarena: { tasks: 'x', sites: sites.config, sandbox: false } }, 'bench');
  const chromium = new Chromium(webarena!);
  const hosts = await Hosts.open({ sites: Object.values(sites.config).map(({ address }) => address), also: [] });
  const guarded = await GuardedContext.open({ chromium, hosts, limits: webarena!.limits, options: { viewport } });
  const page = await guarded.context.newPage();
  await page.goto(sites.served('http://shop.test/'));
  const session = await page.context().newCDPSession(page);
  const ways: [string, (client: CDPSession) => Promise<unknown>][] = [
    [
      "a step's look: one call for the tree, one for the layout",
      (client) => observe(client, { titles: ['x'], current: 0 }, viewport),
    ],
    ["a step's look: node by node, as WebArena", nodeByNode],
  ];
  const rows: ProxyRow[] = [];
  for (const [name, look] of ways) {
    await look(session);
    const { count, client } = counting(session);
    const began = performance.now();
    await look(client);
    rows.push({ ...empty, name, calls: count.calls, kilobytes: count.bytes / 1024, ms: performance.now() - began });
  }
  await guarded.close();
  await chromium.close();
  await sites.close();
  return rows;
}

const formats: { [K in Exclude<keyof ProxyRow, 'name'>]: (value: number) => string } = {
  stepsPerSecond: (value) => `${value.toFixed(1)} steps/s`,
  megabytesPerEpisode: (value) => `${value.toFixed(0)} MB an episode`,
  calls: (value) => `${value} calls`,
  kilobytes: (value) => `${value.toFixed(0)} KB`,
  ms: (value) => `${value.toFixed(0)} ms`,
};

function print(row: ProxyRow): ProxyRow {
  const cells = Object.entries(formats).flatMap(([key, write]) => {
    const value = row[key as keyof typeof formats];
    return value === null ? [] : [write(value)];
  });
  console.log(`${row.name}: ${cells.join(', ')}`);
  return row;
}

async function measured(): Promise<ProxyRow[]> {
  // Keeps the process alive while no browser is open.
  const going = setInterval(() => {}, 1000);
  try {
    return [...(await looks()).map(print), print(await atOnce(1)), print(await atOnce(20))];
  } finally {
    clearInterval(going);
  }
}

export async function benchProxy(): Promise<Result> {
  const details = await measured();
  const columns = ['', 'steps/s', 'MB an episode', 'calls', 'KB', 'ms'];
  const rows = details.map((row) => [
    row.name,
    row.stepsPerSecond,
    row.megabytesPerEpisode,
    row.calls,
    row.kilobytes,
    row.ms,
  ]);
  return { on: cpu(), adapter: null, columns, rows, details };
}
