/**
 * Measures the shop beside WebShop's own environment, in one process each, on the same random episodes: a step with the
 * list of its buttons. Measured in CPU time. Needs TABGYM_SHOP_PYTHON and TABGYM_WEBSHOP
 * (tools/shop-reference/main.ts). Searches and nouns cost the original nothing here, because stand-ins of Lucene and
 * spaCy look their answers up; searches of ours are repeated, so they are looked up as well. With
 * TABGYM_WEBSHOP_LUCENE=1 the original searches by Lucene.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../src/envs/transport/wasm.ts';
import { ShopEpisode } from '../src/worlds/shop/episode.ts';
import { parseShopOptions } from '../src/worlds/shop/options.ts';
import { openBrought } from '../src/worlds/shop/own/catalogue.ts';
import { randomEpisodes } from '../tools/shop-reference/episodes.ts';
import { sampleShop } from '../tools/shop-reference/sample.ts';
import { besideOriginal, cpuSeconds, type Result } from './result.ts';

const [seed, episodes, seconds, aim] = [1, 60, 2, 100];

type Recorded = Awaited<ReturnType<typeof randomEpisodes>>;

/** Steps per second of CPU time, after a first round, which compiles and fills the searches. */
async function stepsHere({ shop }: ReturnType<typeof sampleShop>, recorded: Recorded['episodes']): Promise<number> {
  const catalogue = await openBrought(shop);
  const options = parseShopOptions({ upstream: true, observation: 'text', shop: 'sample' });
  let [steps, took] = [0, 0];
  for (let round = 0; took < seconds; round++) {
    const { goal, turns } = recorded[round % recorded.length];
    const episode = new ShopEpisode(catalogue, goal, options);
    episode.begin();
    const before = cpuSeconds();
    for (const { action } of turns) episode.step(action);
    if (round < recorded.length) continue;
    took += cpuSeconds() - before;
    steps += turns.length;
  }
  catalogue.close();
  return steps / took;
}

async function stepsThere(files: { [name: string]: string }, recorded: Recorded): Promise<number | null> {
  const { TABGYM_SHOP_PYTHON: python, TABGYM_WEBSHOP: webshop } = process.env;
  if (!python || !webshop) {
    console.log('WebShop was not measured: set TABGYM_SHOP_PYTHON and TABGYM_WEBSHOP (tools/shop-reference/main.ts)');
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-shop-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.json`), text);
    writeFileSync(join(folder, 'episodes.json'), JSON.stringify(recorded));
    const script = `${await repositoryRoot()}/tools/shop-reference/compare.py`;
    const part = process.env.TABGYM_WEBSHOP_LUCENE ? 'lucene' : 'speed';
    const printed = execFileSync(python, [script, folder, webshop, part], { encoding: 'utf8' });
    const found = JSON.parse(printed.trim().split('\n').at(-1)!) as { steps: number; seconds: number; equal: number };
    console.log(`${found.equal} of ${found.steps} steps have the same text here and in WebShop`);
    return found.steps / found.seconds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchShopOriginal(): Promise<Result> {
  const sample = sampleShop(seed);
  const recorded = await randomEpisodes(sample.shop, episodes, seed);
  const original = await stepsThere(sample.files, recorded);
  const ours = await stepsHere(sample, recorded.episodes);
  return besideOriginal('WebShop', [{ name: 'shop, steps', unit: 'steps/s', ours, original, aim }]);
}
