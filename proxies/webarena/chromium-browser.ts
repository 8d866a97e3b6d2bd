/**
 * Browser of one environment: a guarded context of its Chromium. It observes, acts and is judged as WebArena's
 * ScriptBrowserEnv, within bounds. A reset opens a new context before it closes the old one; before the first task
 * there is none.
 */
import type { Page } from 'playwright-core';
import type { Action } from '../../src/webarena/actions.ts';
import type { EvaluationContext } from '../../src/webarena/evaluators/page.ts';
import type { Judge } from '../../src/webarena/evaluators/strings.ts';
import { ObservationError, type PrintedNode } from '../../src/webarena/tree-text.ts';
import type { WebArenaConfig } from '../config.ts';
import type { Hosts } from '../network/hosts.ts';
import type { SiteAddresses } from './addresses.ts';
import type { ActionResult, AgentBrowser, Metadata, ObservedPage } from './agent-browser.ts';
import type { Chromium } from './chromium.ts';
import { EpisodeFailure, ForbiddenAddress } from './failures.ts';
import { GuardedContext } from './guarded-context.ts';
import { ChromiumJudgedPage } from './judged-page.ts';
import type { Logins } from './logins.ts';
import { observe } from './observation.ts';
import { performAction } from './page-actions.ts';
import { loginsOf, type WebArenaTask } from './tasks.ts';

export interface BrowserParts {
  config: WebArenaConfig;
  chromium: Chromium;
  /** Called when the environment closes: ends its Chromium if no other environment uses it. */
  release(): Promise<void>;
  hosts: Hosts;
  logins: Logins;
  addresses: SiteAddresses;
  judge: Judge;
}

/** AgentGym's server sleeps for this time after each action. */
const sleepMs = 1500;
/** With `settle: quiet`, the longest wait for a quiet page. */
const mostQuietMs = 10_000;
const observationTries = 3;
/** With `settle: quiet`, the interval at which a busy tree is read again. */
const busyPollMs = 50;
/** Chromium's tree may stay busy for this time after its page has loaded. */
const mostLagMs = 3000;

/**
 * Errors of a page that is between two navigations: its tree is gone for a moment, and another attempt finds the next
 * one.
 */
const transientErrors =
  /Execution context was destroyed|Cannot find context|Target closed|frame was detached|Node is detached/;

const noMetadata: Metadata = { text: { obs_nodes_info: {} }, image: '' };

function metadataOf(nodes: ReadonlyMap<string, PrintedNode>, image: string): Metadata {
  const entries = [...nodes].map(([id, { backendId, text, box }]) => [
    id,
    { backend_id: backendId, text, union_bound: box && [...box] },
  ]);
  return { text: { obs_nodes_info: Object.fromEntries(entries) }, image };
}

export class ChromiumBrowser implements AgentBrowser {
  private guarded: GuardedContext | null = null;
  private page: Page | null = null;
  private nodes: ReadonlyMap<string, PrintedNode> = new Map();
  private metadata: Metadata = noMetadata;

  constructor(private readonly parts: BrowserParts) {}

  async reset(task: WebArenaTask | null): Promise<ObservedPage> {
    if (!task) {
      await this.parts.chromium.version();
      return { text: '', url: 'about:blank', content: '', metadata: noMetadata };
    }
    try {
      return await this.open(task);
    } catch (error) {
      if (!(error instanceof EpisodeFailure && error.name === 'BrowserLost')) throw error;
      // The browser may still be ending because of the previous episode.
      return this.open(task);
    }
  }

  private async open(task: WebArenaTask): Promise<ObservedPage> {
    const { chromium, hosts, config, logins } = this.parts;
    const storageState = await logins.stateFor(loginsOf(task));
    const options = {
      viewport: config.viewport,
      screen: config.viewport,
      ...(storageState && { storageState }),
      ...(task.geolocation && { geolocation: task.geolocation }),
    };
    const fresh = await GuardedContext.open({ chromium, hosts, limits: config.limits, options });
    try {
      const page = await this.openPages(fresh, task);
      await this.settle(fresh, page);
      const before = this.guarded;
      const seen = await this.look(fresh, page);
      this.guarded = fresh;
      this.page = page;
      void before?.close();
      return seen;
    } catch (error) {
      void fresh.close();
      throw error;
    }
  }

  private async openPages(guarded: GuardedContext, task: WebArenaTask): Promise<Page> {
    const { loadSeconds } = guarded.limits;
    const addresses = task.start_url ? task.start_url.split(' |AND| ') : [];
    for (const address of addresses) {
      const page = await guarded.context.newPage();
      if (!this.parts.hosts.targetOf(address))
        throw new ForbiddenAddress(`The task begins at ${address}, which is not one of the configured sites.`);
      await guarded.during('be opened', () => page.goto(address, { timeout: loadSeconds * 1000 }), 2000 * loadSeconds);
    }
    const [first] = guarded.context.pages();
    if (!first) return guarded.context.newPage();
    await first.bringToFront();
    return first;
  }

  private settle(guarded: GuardedContext, page: Page): Promise<void> {
    if (this.parts.config.settle === 'quiet') return guarded.quiet(page, mostQuietMs);
    return new Promise((resolve) => setTimeout(resolve, sleepMs));
  }

  /** Observes a page, and keeps its elements for the next action. */
  private async look(guarded: GuardedContext, page: Page): Promise<ObservedPage> {
    const { details } = this.parts.config;
    const { text, nodes } = await this.observeIdle(guarded, page);
    const content = details ? await guarded.documentOf(page) : '';
    const image = details ? await guarded.during('be read', () => screenshot(page)) : '';
    this.nodes = nodes;
    this.metadata = metadataOf(nodes, image);
    return { text, url: page.url(), content, metadata: this.metadata };
  }

  /** Observes a page once its tree is no longer busy, or when its time to load is over. */
  private async observeIdle(guarded: GuardedContext, page: Page) {
    const startedAt = performance.now();
    for (;;) {
      const seen = await guarded.during('be read', () => this.observe(guarded, page));
      if (!seen.busy || this.parts.config.settle !== 'quiet') return seen;
      const loaded = await guarded.during('be read', () => isLoaded(page));
      const until = loaded ? startedAt + mostLagMs : guarded.loadsUntil(page);
      if (performance.now() > until) return seen;
      await new Promise((resolve) => setTimeout(resolve, busyPollMs));
    }
  }

  private async observe(guarded: GuardedContext, page: Page) {
    const { viewport, wholePage } = this.parts.config;
    for (let attempt = 1; ; attempt++) {
      try {
        const pages = guarded.context.pages();
        const titles = await Promise.all(pages.map((each) => each.title().catch(() => null)));
        const client = await sessionOf(page);
        return await observe(client, { titles, current: pages.indexOf(page) }, viewport, wholePage);
      } catch (error) {
        const isTransient = error instanceof ObservationError || transientErrors.test((error as Error).message);
        if (!isTransient || attempt >= observationTries) throw error;
        await guarded.quiet(page, 2000);
      }
    }
  }

  async act(action: Action): Promise<ActionResult> {
    const guarded = this.guarded!;
    guarded.takeRefused();
    let failError = '';
    try {
      const scene = {
        context: guarded.context,
        page: this.page!,
        nodes: this.nodes,
        hosts: guarded.hosts,
        loadMs: guarded.limits.loadSeconds * 1000,
      };
      this.page = await guarded.during('be acted on', () => performAction(scene, action));
    } catch (error) {
      if (error instanceof EpisodeFailure) throw error;
      failError = error instanceof ForbiddenAddress ? `${error.name}: ${error.message}` : (error as Error).message;
    }
    await this.settle(guarded, this.page!);
    const hosts = guarded.takeRefused().slice(0, 5).join(', ');
    const refused = hosts && `ForbiddenAddress: the page asked for ${hosts}, which the proxy does not let through.`;
    return { ...(await this.look(guarded, this.page!)), failError, refused };
  }

  last(): Metadata {
    return this.metadata;
  }

  judged(): EvaluationContext {
    const { addresses, judge, config } = this.parts;
    const page = new ChromiumJudgedPage(this.guarded!, this.page!, (each) => this.settle(this.guarded!, each));
    const account = config.sites.shopping_admin?.login ?? { username: 'admin', password: 'admin1234' };
    return { page, judge, sites: addresses.byName, shopAdmin: account };
  }

  /** Traffic of the episode, for measurements. */
  get traffic(): { bytes: number; popups: number; dialogs: number } {
    const { gate, popups, dialogs } = this.guarded!;
    return { bytes: gate.bytes, popups, dialogs };
  }

  async close(): Promise<void> {
    await this.guarded?.close();
    await this.parts.release();
  }
}

const isLoaded = (page: Page) => page.evaluate(() => document.readyState === 'complete').catch(() => false);

const sessions = new WeakMap<Page, ReturnType<typeof openSession>>();

async function openSession(page: Page) {
  const client = await page.context().newCDPSession(page);
  await client.send('Accessibility.enable');
  return client;
}

/** DevTools session of a page, opened once. */
function sessionOf(page: Page) {
  let session = sessions.get(page);
  if (!session) {
    session = openSession(page);
    sessions.set(page, session);
    session.catch(() => sessions.delete(page));
  }
  return session;
}

async function screenshot(page: Page): Promise<string> {
  return `data:image/png;base64,${(await page.screenshot()).toString('base64')}`;
}
