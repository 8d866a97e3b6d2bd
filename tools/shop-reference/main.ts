/**
 * `npm run test:shop-reference -- [--pairs N] [--purchases N] [--episodes N] [--seed N]`: compares the shop with the
 * originals, run by Python. Needs:
 *
 * - TABGYM_WEBSHOP: a clone of github.com/princeton-nlp/WebShop; TABGYM_AGENTGYM_WEBSHOP: `agentenv-webshop/webshop` of a
 *   clone of github.com/WooooDyy/AgentGym (may be absent);
 * - TABGYM_SHOP_PYTHON: a Python with thefuzz==0.19.0, beautifulsoup4==4.11.1, Flask==2.1.2 and Werkzeug<3;
 *   TABGYM_SHOP_PYTHON_LEVENSHTEIN: the same with python-Levenshtein (may be absent).
 *
 * Compared are `token_set_ratio`, the reward, pages, buttons and endings of random episodes, and the numbers of
 * instructions. Nothing of the originals is kept. Exits with 1 after a difference, and with 0 if Python is absent.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { tokenSetRatio } from '../../src/worlds/shop/judge/token-set-ratio.ts';
import { randomEpisodes } from './episodes.ts';
import { randomPairs } from './pairs.ts';
import { randomPurchases } from './purchases.ts';
import { sampleShop } from './sample.ts';

const program = new Command('shop-reference')
  .description('Compares the shop with the originals, run by Python.')
  .option('--pairs <n>', 'pairs of texts', wholeFrom(1), 100_000)
  .option('--purchases <n>', 'random purchases', wholeFrom(1), 20_000)
  .option('--episodes <n>', 'random episodes', wholeFrom(1), 500)
  .option('--seed <n>', 'seed of all of them', wholeFrom(0), 1)
  .parse();
const { pairs, purchases, episodes, seed } = program.opts<{
  pairs: number;
  purchases: number;
  episodes: number;
  seed: number;
}>();

const lines = (records: readonly unknown[]): string => records.map((record) => JSON.stringify(record)).join('\n');

async function writeAll(folder: string): Promise<void> {
  const { shop, files } = sampleShop(seed);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.json`), text);
  const compared = randomPairs(pairs, seed).map(([a, b]) => [
    a,
    b,
    tokenSetRatio(a, b, 'difflib'),
    tokenSetRatio(a, b, 'levenshtein'),
  ]);
  writeFileSync(join(folder, 'pairs.jsonl'), lines(compared));
  writeFileSync(join(folder, 'purchases.jsonl'), lines(randomPurchases(shop, purchases, seed)));
  writeFileSync(join(folder, 'episodes.json'), JSON.stringify(await randomEpisodes(shop, episodes, seed)));
}

function compare(python: string, folder: string, webshop: string, parts: string): boolean {
  const script = new URL('../../tools/shop-reference/compare.py', import.meta.url).pathname;
  const { status, stdout, stderr, error } = spawnSync(python, [script, folder, webshop, parts], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  process.stdout.write(stdout ?? '');
  if (status === 0) return true;
  console.error(error?.message ?? stderr.trim().split('\n').slice(-8).join('\n'));
  return false;
}

const { TABGYM_SHOP_PYTHON, TABGYM_SHOP_PYTHON_LEVENSHTEIN, TABGYM_WEBSHOP, TABGYM_AGENTGYM_WEBSHOP } = process.env;
if (!TABGYM_SHOP_PYTHON || !TABGYM_WEBSHOP) {
  console.log('skipped: set TABGYM_SHOP_PYTHON and TABGYM_WEBSHOP (tools/shop-reference/main.ts lists what they need)');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-shop-'));
  try {
    await writeAll(folder);
    const results = [
      compare(TABGYM_SHOP_PYTHON, folder, TABGYM_WEBSHOP, 'pairs,purchases,episodes,princeton'),
      !TABGYM_SHOP_PYTHON_LEVENSHTEIN || compare(TABGYM_SHOP_PYTHON_LEVENSHTEIN, folder, TABGYM_WEBSHOP, 'pairs'),
      !TABGYM_AGENTGYM_WEBSHOP || compare(TABGYM_SHOP_PYTHON, folder, TABGYM_AGENTGYM_WEBSHOP, 'agentgym'),
    ];
    if (results.includes(false)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
