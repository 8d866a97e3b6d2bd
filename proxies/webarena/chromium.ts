/**
 * A Chromium for one episode or many, driven by playwright-core. It starts on first use, and again after a crash. Each
 * episode has a context of its own, whose only way out is its own gate (`network/gate.ts`).
 */
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, type CDPSession, chromium } from 'playwright-core';
import { findChromium, installAdvice } from '../../scripts/machine.mjs';
import type { WebArenaConfig } from '../config.ts';
import { keyHashes } from './certificates.ts';

/** No browser was found, or it does not start. */
class ChromiumError extends Error {
  override name = 'ChromiumError';
}

/**
 * Command line switches. Names are resolved only by the gate, and no UDP leaves a page (WebRTC). V8's heap limit bounds
 * the memory of a page's scripts (peter.sh/experiments/chromium-command-line-switches).
 */
const switches = (memoryMegabytes: number, keys: readonly string[]) => [
  ...(keys.length ? [`--ignore-certificate-errors-spki-list=${keys.join(',')}`] : []),
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-features=AutofillServerCommunication,OptimizationHints,MediaRouter,Translate,WebUIOmniboxPopup,WebUIOmniboxAimPopup',
  '--no-pings',
  '--no-first-run',
  `--js-flags=--max-old-space-size=${Math.max(64, Math.floor(memoryMegabytes / 2))}`,
];

const watchMs = 500;
const startMs = 60_000;

/** Resident memory of a process in MB, or null if the system does not report it. */
function residentMegabytes(pid: number): number | null {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return (pages * 4096) / 2 ** 20;
  } catch {
    return null;
  }
}

export class Chromium {
  private browser: Promise<Browser> | null = null;
  private session: CDPSession | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;
  /** Number of page processes killed for their size. */
  killed = 0;
  private readonly keys: readonly string[];

  /** Throws `ConfigError` if a site's certificate cannot be read. */
  constructor(private readonly config: Pick<WebArenaConfig, 'sandbox' | 'limits' | 'sites'>) {
    this.keys = keyHashes(config.sites);
  }

  /** Returns the running browser, or starts one. Concurrent callers share one start. */
  private async running(): Promise<Browser> {
    this.browser ??= this.start();
    const current = this.browser;
    const forget = () => {
      if (this.browser === current) this.browser = null;
    };
    const browser = await current.catch((error) => {
      forget();
      throw error;
    });
    if (browser.isConnected()) return browser;
    forget();
    return this.running();
  }

  private async start(): Promise<Browser> {
    if (this.closed) throw new ChromiumError('The proxy is closing.');
    const executablePath = findChromium();
    if (!executablePath) throw new ChromiumError(`No Chromium-family browser was found. ${installAdvice()}`);
    const { sandbox, limits } = this.config;
    const browser = await chromium
      .launch({
        executablePath,
        args: switches(limits.memoryMegabytes, this.keys),
        chromiumSandbox: sandbox,
        timeout: startMs,
        handleSIGINT: false,
        handleSIGTERM: false,
      })
      .catch((error: Error) => {
        const why = /sandbox/i.test(error.message)
          ? 'its sandbox is unavailable here (for example for root in a container); set "sandbox": false to run without it'
          : error.message.split('\n')[0];
        throw new ChromiumError(`${executablePath} does not start: ${why}`);
      });
    this.session = await browser.newBrowserCDPSession();
    this.timer ??= setInterval(() => void this.watch().catch(() => {}), watchMs).unref();
    return browser;
  }

  /** Opens a context behind this gate, without service workers, downloads and permissions. */
  async context(gateAddress: string, options: BrowserContextOptions = {}) {
    const all: BrowserContextOptions = {
      proxy: { server: gateAddress, bypass: '<-loopback>' },
      serviceWorkers: 'block',
      acceptDownloads: false,
      deviceScaleFactor: 1,
      ...options,
    };
    const browser = await this.running();
    try {
      return await browser.newContext(all);
    } catch (error) {
      if (browser.isConnected()) throw error;
      // A crash ended the browser just now: a new one opens the context.
      return (await this.running()).newContext(all);
    }
  }

  /** Kills page processes that are too large. Contexts share no process, so only one episode is affected. */
  private async watch(): Promise<void> {
    const { memoryMegabytes } = this.config.limits;
    for (const pid of await this.renderers()) {
      const megabytes = residentMegabytes(pid);
      if (megabytes === null || megabytes <= memoryMegabytes) continue;
      this.killed++;
      process.kill(pid, 'SIGKILL');
    }
  }

  private async renderers(): Promise<number[]> {
    if (!this.session) return [];
    const { processInfo } = await this.session.send('SystemInfo.getProcessInfo');
    return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  }

  /** Memory of the whole browser in MB, for measurements; null if the system does not report it. */
  async megabytes(): Promise<number | null> {
    if (!this.session) return 0;
    const { processInfo } = await this.session.send('SystemInfo.getProcessInfo');
    const all = processInfo.map(({ id }) => residentMegabytes(id));
    return all.includes(null) ? null : (all as number[]).reduce((sum, each) => sum + each, 0);
  }

  async version(): Promise<string> {
    return (await this.running()).version();
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer) clearInterval(this.timer);
    const browser = await this.browser?.catch(() => null);
    await browser?.close().catch(() => {});
  }
}
