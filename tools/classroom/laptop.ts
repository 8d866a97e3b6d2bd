/**
 * A school laptop: the built page in Chromium, without a GPU, under a limit of memory for all of its processes. The page
 * is visited once; then the server is stopped and the network is off, and it trains the first experiment. The limit
 * needs Linux with the memory controller of control groups, version 1, and its root.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumArgsWithoutWebGpu, findChromium } from '../../scripts/machine.mjs';
import { filesKept, openPage, serveClass } from './pupil.ts';

const controller = '/sys/fs/cgroup/memory';
const sampleMs = 2000;
const endMs = 30_000;

interface LaptopOptions {
  /** Folder of the built page. */
  page: string;
  minutes: number;
  gigabytes: number;
}

/** Control group with a limit of memory. */
class MemoryGroup {
  private readonly folder: string;

  constructor(bytes: number) {
    if (!existsSync(join(controller, 'memory.limit_in_bytes')))
      throw new Error(`A limit of memory needs control groups of version 1, as root: ${controller} has no controller.`);
    this.folder = join(controller, `tabgym-laptop-${process.pid}`);
    mkdirSync(this.folder);
    writeFileSync(join(this.folder, 'memory.limit_in_bytes'), String(bytes));
  }

  private read = (name: string) => readFileSync(join(this.folder, name), 'utf8');

  /** A program that joins the group and becomes another one. */
  launcherOf(program: string, folder: string): string {
    const launcher = join(folder, 'launch.sh');
    writeFileSync(launcher, `#!/bin/sh\necho $$ > '${this.folder}/cgroup.procs'\nexec '${program}' "$@"\n`);
    chmodSync(launcher, 0o755);
    return launcher;
  }

  /** Anonymous memory of all processes, in MB. */
  get anonymous(): number {
    return Number(/^total_rss (\d+)$/m.exec(this.read('memory.stat'))?.[1] ?? Number.NaN) / 2 ** 20;
  }

  /** Most memory so far, files' cache included, in MB. */
  get most(): number {
    return Number(this.read('memory.max_usage_in_bytes')) / 2 ** 20;
  }

  /** Number of times that the limit was reached. */
  get reached(): number {
    return Number(this.read('memory.failcnt'));
  }

  get isEmpty(): boolean {
    return this.read('cgroup.procs') === '';
  }

  async remove(): Promise<void> {
    for (const until = Date.now() + endMs; !this.isEmpty && Date.now() < until; )
      await new Promise((resolve) => setTimeout(resolve, 200));
    rmdirSync(this.folder);
  }
}

const shown = async (page: Page) =>
  (await page.locator('tabgym-transport .meter').allTextContents()).map((each) => each.replace(/\s+/g, ' ').trim());

/** Trains under the limit, and prints the steps and the memory. Returns the number of faults. */
export async function tryLaptop({ page: site, minutes, gigabytes }: LaptopOptions): Promise<number> {
  const group = new MemoryGroup(gigabytes * 2 ** 30);
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-laptop-'));
  const server = serveClass(site);
  const url = await server.app.listen({ port: 0, host: '127.0.0.1' });
  let browser: Browser | null = null;
  let faults = 0;
  const check = (holds: boolean, words: string) => {
    if (!holds) faults++;
    console.log(`${holds ? 'ok' : 'FAULT'}: ${words}`);
  };
  try {
    const executablePath = group.launcherOf(findChromium()!, folder);
    browser = await chromium.launch({ executablePath, args: [...chromiumArgsWithoutWebGpu] });
    const page = await openPage(browser, `${url}/?device=wasm#view=lab&lang=en`);
    await filesKept(page);
    await server.close();
    await page.context().setOffline(true);
    await page.reload();
    const train = page.getByRole('button', { name: 'Train', exact: true }).first();
    await train.waitFor();
    console.log(`open: ${group.anonymous.toFixed(0)} MB`);
    await train.click();
    let most = 0;
    for (const until = Date.now() + minutes * 60_000; Date.now() < until; await page.waitForTimeout(sampleMs))
      most = Math.max(most, group.anonymous);
    const words = await shown(page);
    check(Number(/Step (\d+)/.exec(words[0] ?? '')?.[1] ?? 0) > 0, `offline, without a GPU: ${words.join('; ')}`);
    console.log(`at most ${most.toFixed(0)} MB while training, ${group.most.toFixed(0)} MB with the files' cache`);
    check(group.reached === 0, `the limit of ${gigabytes} GB was reached ${group.reached} times`);
  } finally {
    await browser?.close();
    await server.close();
    await group.remove();
    rmSync(folder, { recursive: true, force: true });
  }
  return faults;
}
