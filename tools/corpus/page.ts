/**
 * Drives a corpus on the built page in Chromium: the actions of a person under Storage (choose files, take in, stop,
 * continue, delete), and searches over the channel that other workers and tabs use. Depends on the page's labels, not
 * on the corpus.
 */
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumArgs, findChromium } from '../../scripts/machine.mjs';
import type { Document } from '../../src/corpus/retrieval/retriever.ts';

/** Timeout for actions of the page on a busy machine. Importing has a timeout of its own. */
const actMs = 120_000;
const takeInMs = 7_200_000;

export interface CorpusPage {
  /** Chooses the file, then starts or continues importing it. */
  take(path: string, button: 'Index' | 'Continue'): Promise<void>;
  /** Stops once this share of the file is read; returns the actual share. */
  stopAt(share: number): Promise<number>;
  /** Waits for the end; returns the number of searchable documents. */
  finished(): Promise<{ documents: number; refused: number }>;
  /** Text of the corpus's row in the list. */
  listed(name: string): Promise<string>;
  find(name: string, query: string): Promise<{ documents: Document[]; ms: number }>;
  remove(name: string): Promise<void>;
  /** Storage used by the page's data, as reported by the browser: without the page's own files, which are kept for use offline. */
  storedBytes(): Promise<number>;
  reload(): Promise<void>;
  errors: readonly string[];
  close(): Promise<void>;
}

/**
 * Runs in the page. Sends a search to the owner of the index, as another tab would (src/corpus/owner.ts).
 */
function askOwner([name, query]: [string, string]): Promise<{ documents: Document[]; ms: number }> {
  const channel = new BroadcastChannel('tabgym-corpora');
  const from = crypto.randomUUID();
  const started = performance.now();
  return new Promise((resolve, reject) => {
    channel.onmessage = ({ data }) => {
      if (data.kind !== 'answer' || data.to !== from) return;
      channel.close();
      if (data.error !== undefined) reject(new Error(data.error));
      else resolve({ documents: data.value[0], ms: performance.now() - started });
    };
    channel.postMessage({ kind: 'call', from, id: 0, name: 'retrieve', args: [name, [query], 3] });
  });
}

async function showStorage(page: Page): Promise<void> {
  const tab = page.getByRole('button', { name: 'Storage' }).or(page.getByRole('tab', { name: 'Storage' }));
  await tab.first().click();
  await page.locator('tabgym-corpora').getByLabel('Files of a corpus').waitFor();
}

async function openPage(context: BrowserContext, url: string, errors: string[]): Promise<Page> {
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(actMs);
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${url}#view=lab`);
  await page.getByLabel('Preset').waitFor();
  await showStorage(page);
  return page;
}

/**
 * Runs in the page. Presses Stop once the share is read and returns the share reached; null before that. Outside the
 * page it could come too late on a fast machine.
 */
function pressStop(wanted: number): number | null {
  const panelIn = (root: ParentNode): Element | null => {
    for (const element of root.querySelectorAll('*')) {
      if (element.localName === 'tabgym-corpora') return element;
      const inner = element.shadowRoot && panelIn(element.shadowRoot);
      if (inner) return inner;
    }
    return null;
  };
  const shadow = panelIn(document)?.shadowRoot;
  const bar = shadow?.querySelector('progress');
  if (!bar || bar.value / bar.max < wanted) return null;
  [...shadow!.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === 'Stop')!.click();
  return bar.value / bar.max;
}

async function stopAt(page: Page, share: number): Promise<number> {
  const reached = await page.waitForFunction(pressStop, share, { polling: 'raf', timeout: takeInMs });
  await page
    .locator('tabgym-corpora')
    .getByText(/^Stopped\. /)
    .waitFor();
  return Number(await reached.jsonValue());
}

async function finished(page: Page): Promise<{ documents: number; refused: number }> {
  const summary = page.locator('tabgym-corpora').getByText(/ can be searched: \d+ documents?; /);
  const problem = page.locator('tabgym-corpora').getByRole('alert');
  await summary.or(problem).first().waitFor({ timeout: takeInMs });
  const text = (await summary.count()) ? await summary.innerText() : '';
  const numbers = / can be searched: (\d+) documents?; left out: (\d+) lines?/.exec(text);
  if (!numbers) throw new Error(`The page shows: ${await problem.innerText()}`);
  return { documents: Number(numbers[1]), refused: Number(numbers[2]) };
}

async function remove(page: Page, name: string): Promise<void> {
  const panel = page.locator('tabgym-corpora');
  await panel.getByRole('button', { name: `Delete ${name}` }).click();
  await panel.getByRole('button', { name: 'Delete for good' }).click();
  await panel.getByRole('row').filter({ hasText: name }).waitFor({ state: 'detached' });
}

/** Runs in the page. Chromium alone lists the usage by kind. */
async function storedBytes(): Promise<number> {
  const estimate: StorageEstimate & { usageDetails?: { caches?: number } } = await navigator.storage.estimate();
  return (estimate.usage ?? 0) - (estimate.usageDetails?.caches ?? 0);
}

/** `profile`: a folder on disk; a private window would keep the files in memory. */
export async function openCorpusPage(url: string, profile: string): Promise<CorpusPage> {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium()!,
    args: chromiumArgs,
    viewport: { width: 1440, height: 900 },
  });
  const errors: string[] = [];
  const page = await openPage(context, url, errors);
  const panel = page.locator('tabgym-corpora');
  return {
    errors,
    async take(path, button) {
      await panel.getByLabel('Files of a corpus').setInputFiles(path);
      await panel.getByRole('button', { name: button }).click();
    },
    stopAt: (share) => stopAt(page, share),
    finished: () => finished(page),
    async listed(name) {
      const row = panel.getByRole('row').filter({ hasText: name });
      return row.innerText();
    },
    find: (name, query) => page.evaluate(askOwner, [name, query] as [string, string]),
    remove: (name) => remove(page, name),
    storedBytes: async () => page.evaluate(storedBytes),
    async reload() {
      await page.reload();
      await page.getByLabel('Preset').waitFor();
      await showStorage(page);
    },
    close: () => context.close(),
  };
}
