/**
 * A browser context within bounds: it has its own gate, counts its pages, popups and dialogs, and cancels downloads.
 * Exceeding a bound closes the context at once; the first such failure is kept as the reason. Does not depend on tasks
 * or trees.
 */
import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import type { EpisodeLimits } from '../config.ts';
import { Gate } from '../network/gate.ts';
import type { Hosts } from '../network/hosts.ts';
import type { Chromium } from './chromium.ts';
import { withDeadline } from './deadline.ts';
import { EpisodeFailure, type FailureName } from './failures.ts';

const MB = 2 ** 20;
const closeMs = 5000;
const quietMs = 120;
const pollMs = 15;

export interface Opening {
  chromium: Chromium;
  hosts: Hosts;
  limits: EpisodeLimits;
  options?: BrowserContextOptions;
}

export class GuardedContext {
  private failure: EpisodeFailure | null = null;
  private readonly failed: Promise<never>;
  private fail!: (failure: EpisodeFailure) => void;
  private closed = false;
  popups = 0;
  dialogs = 0;
  /** Time of each page's last request for a document. */
  private readonly navigatedAt = new WeakMap<Page, number>();
  /** Start times of https requests whose response is not complete yet. The gate cannot see these: it tunnels them. */
  private readonly unanswered = new Map<Request, number>();
  /** Hosts that were requested and refused since the last `takeRefused()`. */
  refused: string[] = [];
  context!: BrowserContext;
  gate!: Gate;

  private constructor(
    readonly hosts: Hosts,
    readonly limits: EpisodeLimits,
  ) {
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.failed.catch(() => {});
  }

  static async open({ chromium, hosts, limits, options }: Opening): Promise<GuardedContext> {
    const guarded = new GuardedContext(hosts, limits);
    guarded.gate = await Gate.open(
      hosts,
      { responseBytes: limits.responseMegabytes * MB, episodeBytes: limits.episodeMegabytes * MB },
      {
        refused: (host) => {
          if (guarded.refused.length < 100) guarded.refused.push(host);
        },
        tooLarge: (what, bytes) => guarded.tooLarge(what, bytes),
      },
    );
    try {
      guarded.context = await chromium.context(guarded.gate.address, options);
    } catch (error) {
      guarded.gate.close();
      throw error;
    }
    guarded.listen();
    return guarded;
  }

  private tooLarge(what: 'response' | 'episode', bytes: number): void {
    const { responseMegabytes, episodeMegabytes } = this.limits;
    const most = what === 'response' ? responseMegabytes : episodeMegabytes;
    this.end(
      what === 'response' ? 'ResponseTooLarge' : 'EpisodeTooLarge',
      `${what === 'response' ? 'A response' : 'The episode'} brought more than ${most} MB (${Math.ceil(bytes / MB)} MB), and was cut off.`,
    );
  }

  private listen(): void {
    const { context } = this;
    context.on('page', (page) => this.watch(page));
    context.on('request', (request) => {
      if (request.url().startsWith('https:')) this.unanswered.set(request, performance.now());
    });
    for (const event of ['requestfinished', 'requestfailed'] as const)
      context.on(event as 'requestfinished', (request) => this.unanswered.delete(request));
    context.on('close', () => this.end('BrowserLost', 'The browser of this episode is gone.'));
    context.browser()?.on('disconnected', this.lost);
  }

  private readonly lost = () => this.end('BrowserLost', 'The browser is gone.');

  private watch(page: Page): void {
    const { pages, dialogs } = this.limits;
    this.navigatedAt.set(page, performance.now());
    page.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame())
        this.navigatedAt.set(page, performance.now());
    });
    const open = this.context.pages().length;
    if (open > pages) this.end('TooManyPages', `The episode opened more than ${pages} pages (${open}).`);
    page.on('popup', () => this.popup());
    page.on('crash', () => this.end('PageCrashed', 'A page crashed, or exceeded its memory limit.'));
    page.on('dialog', (dialog) => {
      if (++this.dialogs > dialogs)
        this.end('TooManyDialogs', `The episode's pages opened more than ${dialogs} dialogs.`);
      // A page must not be able to block the episode, so a dialog that asks before leaving is accepted, as Playwright
      // does by default.
      else void (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(() => {});
    });
    page.on('download', (download) => void download.cancel().catch(() => {}));
  }

  private popup(): void {
    if (++this.popups > this.limits.popups)
      this.end('TooManyPages', `The episode's pages opened more than ${this.limits.popups} popups.`);
  }

  /** Ends the episode. Only the first failure is kept. */
  private end(name: FailureName, message: string): void {
    if (this.failure || this.closed) return;
    this.failure = new EpisodeFailure(name, message);
    this.fail(this.failure);
    void this.close();
  }

  /**
   * The page's document as text. Its length is measured in the page first, so that no more than the bound is taken over,
   * and again here, because a page's scripts can change what it measures.
   */
  async documentOf(page: Page): Promise<string> {
    const { documentCharacters: most } = this.limits;
    const measured = await this.during('be read', () =>
      page.evaluate(() => Number(document.documentElement?.outerHTML.length) || 0),
    );
    const content = measured > most ? '' : await this.during('be read', () => page.content());
    const length = Math.max(measured, content.length);
    if (length <= most) return content;
    this.end(
      'DocumentTooLarge',
      `The page's document has ${length.toLocaleString('en')} characters, more than the ${most.toLocaleString('en')} of webarena.limits.documentCharacters.`,
    );
    throw this.failure!;
  }

  /** Runs a call of this episode. It rejects if the episode ends, or at its deadline, which also ends the episode. */
  async during<T>(what: string, call: () => Promise<T>, ms = this.limits.stepSeconds * 1000): Promise<T> {
    if (this.failure) throw this.failure;
    const late = () => {
      const failure = new EpisodeFailure('PageHung', `The page could not ${what} within ${ms / 1000} s.`);
      this.end(failure.name, failure.message);
      return this.failure ?? failure;
    };
    const work = call();
    try {
      return await withDeadline(Promise.race([work, this.failed]), ms, late);
    } catch (error) {
      // Calls that break off because the episode ended reject with the reason of that end.
      throw this.failure ?? error;
    }
  }

  /**
   * Waits until the network is idle for a moment and the page has loaded, or until time is up. Requests older than
   * `loadSeconds` are not waited for: a page that never finishes costs this time once, not at every action.
   */
  async quiet(page: Page, mostMs: number): Promise<void> {
    const loadMs = this.limits.loadSeconds * 1000;
    const startedAt = performance.now();
    const until = startedAt + mostMs;
    for (;;) {
      const now = performance.now();
      if (this.failure || now > until) return;
      const idleMs = now - Math.max(startedAt, this.gate.activeAt);
      if (this.inFlightSince(now - loadMs) === 0 && idleMs > quietMs) break;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    const last = Math.min(until, this.loadsUntil(page, startedAt));
    await page.waitForLoadState('load', { timeout: Math.max(1, last - performance.now()) }).catch(() => {});
  }

  /**
   * Time (of `performance.now`) until which the page's last navigation may load. `otherwise` is the start of a page
   * that requested no document.
   */
  loadsUntil(page: Page, otherwise = Number.NEGATIVE_INFINITY): number {
    return (this.navigatedAt.get(page) ?? otherwise) + this.limits.loadSeconds * 1000;
  }

  private inFlightSince(ms: number): number {
    const overTls = [...this.unanswered.values()].filter((began) => began >= ms);
    return overTls.length + this.gate.inFlightSince(ms);
  }

  /** Returns the hosts refused since the last call. */
  takeRefused(): string[] {
    const { refused } = this;
    this.refused = [];
    return [...new Set(refused)];
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.context.browser()?.off('disconnected', this.lost);
    this.gate.close();
    await withDeadline(this.context.close(), closeMs, () => new Error('late')).catch(() => {});
  }
}
