/**
 * `npm run test:corpus [-- --bytes 1000000000 --forms plain,gzip]`: imports a generated corpus on the built page in
 * Chromium, once per form: stops half-way, reloads the page, continues, searches and deletes. No document may be lost,
 * and the page's process may use 300 MB. Needs three times the bytes on disk, and Linux (memory is read from /proc).
 * Takes about ten minutes per gigabyte on two busy cores.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { build, preview } from 'vite';
import { requireBrowser } from '../../scripts/machine.mjs';
import { repositoryRoot } from '../../src/envs/transport/wasm.ts';
import { titleOf, writeCorpus } from './made.ts';
import { type MemoryPeak, watchMemory } from './memory.ts';
import { type CorpusPage, openCorpusPage } from './page.ts';

const mostBytes = 300e6;
/** Storage that may remain after a corpus is deleted: the pool's empty files and the page's own records. */
const mostLeft = 20e6;
const forms: { [name: string]: string } = { plain: '.jsonl', gzip: '.jsonl.gz' };

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** Bytes on disk of all files in a folder. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );

interface Check {
  ok: boolean;
  line: string;
}

async function servePage(): Promise<{ url: string; close(): Promise<void> }> {
  const root = await repositoryRoot();
  process.env.NODE_ENV = 'production';
  const page = { configFile: join(root, 'vite.config.ts'), root, logLevel: 'error' as const };
  const outDir = join(root, 'build/page-corpus');
  await build({ ...page, build: { outDir, emptyOutDir: true } });
  const server = await preview({ ...page, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  return { url: server.resolvedUrls!.local[0], close: () => server.close() };
}

/** Imports a corpus: stops half-way, reloads the page, and continues to the end. */
async function takeIn(page: CorpusPage, path: string, documents: number): Promise<Check[]> {
  const started = performance.now();
  await page.take(path, 'Index');
  const share = await page.stopAt(0.5);
  const stopped = seconds(started);
  await page.reload();
  const kept = await page.listed('made');
  const again = performance.now();
  await page.take(path, 'Continue');
  const end = await page.finished();
  return [
    {
      ok: share < 1 && /incomplete/.test(kept),
      line: `stopped at ${Math.round(100 * share)}% after ${stopped}; after a reload the list shows: ${kept.replace(/\s+/g, ' ')}`,
    },
    {
      ok: end.documents === documents && end.refused === 0,
      line: `continued for ${seconds(again)}: ${end.documents} of ${documents} documents, ${end.refused} refused`,
    },
  ];
}

/** Searches for unique titles; the document with the title must come first. */
async function search(page: CorpusPage, documents: number): Promise<Check[]> {
  const queried = [0, 1, 2, 3, 4].map((part) => Math.floor((part / 4) * (documents - 1)));
  const checks: Check[] = [];
  for (const k of queried) {
    const title = titleOf(k);
    const { documents: found, ms } = await page.find('made', title);
    checks.push({
      ok: found[0]?.id === String(k) && found[0].title.includes(title),
      line: `"${title}" found ${found.map(({ id }) => id).join(', ')} in ${Math.round(ms)} ms`,
    });
  }
  return checks;
}

function memoryCheck(before: MemoryPeak, { footprint, resident, browser }: MemoryPeak): Check {
  const own = `the page's process had a footprint of ${megabytes(footprint)} at most (${megabytes(before.footprint)} before)`;
  const others = `${megabytes(resident)} resident (${megabytes(before.resident)}), all of Chromium ${megabytes(browser)} (${megabytes(before.browser)})`;
  return { ok: footprint < mostBytes, line: `${own}, ${others}; footprint allowed: ${megabytes(mostBytes)}` };
}

async function tryForm(url: string, folder: string, form: string, bytes: number): Promise<Check[]> {
  const path = join(folder, `made${forms[form]}`);
  const made = await writeCorpus(path, { bytes });
  console.log(`${form}: ${made.bytes} bytes, ${made.documents} documents, a file of ${statSync(path).size}`);
  const profile = join(folder, `profile-${form}`);
  const page = await openCorpusPage(url, profile);
  const memory = watchMemory(profile);
  try {
    const checks = [...(await takeIn(page, path, made.documents)), ...(await search(page, made.documents))];
    const [stored, reported] = [bytesIn(profile), await page.storedBytes()];
    await page.remove('made');
    const [left, reportedAfter] = [bytesIn(profile), await page.storedBytes()];
    checks.push({
      ok: stored - left > bytes,
      line: `deleted: the profile has ${megabytes(left)}, of ${megabytes(stored)} before`,
    });
    checks.push({
      ok: reportedAfter < mostLeft,
      line: `the browser reports ${megabytes(reportedAfter)} stored, of ${megabytes(reported)} before`,
    });
    checks.push(memoryCheck(memory.before, memory.stop()));
    checks.push({ ok: !page.errors.length, line: `errors that the page printed: ${page.errors.join('; ') || 'none'}` });
    return checks;
  } finally {
    memory.stop();
    await page.close();
    rmSync(path);
  }
}

async function main(): Promise<number> {
  const options = new Command('test:corpus')
    .option('--bytes <n>', 'size of the corpus before gzip', '1000000000')
    .option('--forms <list>', 'forms to test, separated by commas: plain, gzip', 'plain,gzip')
    .parse()
    .opts<{ bytes: string; forms: string }>();
  const wanted = options.forms.split(',');
  const unknown = wanted.find((form) => !(form in forms));
  if (unknown !== undefined)
    throw new Error(`There is no form "${unknown}": choose from ${Object.keys(forms).join(', ')}.`);
  requireBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-corpus-'));
  const server = await servePage();
  let ok = true;
  try {
    for (const form of wanted)
      for (const check of await tryForm(server.url, folder, form, Number(options.bytes))) {
        console.log(`${form}: ${check.line}: ${check.ok ? 'ok' : 'FAILED'}`);
        ok &&= check.ok;
      }
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return ok ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
