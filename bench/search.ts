/**
 * Measures Search at the World contract, in this process: resets, steps and searches per second, with one world and
 * with batches of 64, and the time to build an index and its size. Measured in CPU time, which a busy machine does not
 * change. There is no original to compare with: its retriever is a dense index of 62 GB.
 */

import { TextIndex } from '../src/corpus/retrieval/text-index.ts';
import type { Task } from '../src/envs/env.ts';
import { randomAction } from '../src/envs/random-player.ts';
import { writeArticle } from '../src/worlds/search/universe/prose.ts';
import { makeUniverse } from '../src/worlds/search/universe/universe.ts';
import { Search } from '../src/worlds/search/world.ts';
import { cell, cpu, cpuSeconds, type Result } from './result.ts';

export interface SearchRow {
  name: string;
  value: number;
  unit: string;
}

/** Rate per second of CPU time, the median over windows. */
async function rate(seconds: number, each: number, work: (round: number) => Promise<unknown>): Promise<number> {
  const rates: number[] = [];
  let round = 0;
  for (const start = cpuSeconds(); cpuSeconds() - start < 0.2; ) await work(round++);
  for (let window = 0; window < 7; window++) {
    const start = cpuSeconds();
    let done = 0;
    while (cpuSeconds() - start < seconds / 7) {
      await work(round++);
      done += each;
    }
    rates.push(done / (cpuSeconds() - start));
  }
  return rates.sort((a, b) => a - b)[3];
}

async function batchRows(batch: number, seconds: number): Promise<SearchRow[]> {
  const world = await Search.open();
  const slots = Array.from({ length: batch }, (_, k) => k);
  const tasks = await world.tasks({ universes: 100, documents: 3 }, 'train');
  const of = (round: number) => slots.map((k) => tasks[(round * batch + k) % tasks.length]);
  const fresh = (round: number): Task[] => of(round).map((task) => ({ ...task, id: round * 20 + 40_000 }));
  const name = batch === 1 ? 'one world' : `${batch} worlds`;
  const resets = await rate(seconds, batch, (round) => world.reset(slots, of(round)));
  const news = await rate(seconds, 1, (round) => world.reset(slots, fresh(round)));
  let starts = await world.reset(slots, of(0));
  const steps = await rate(seconds, batch, async (round) => {
    if (round % 3 === 0) starts = await world.reset(slots, of(round));
    return world.step(
      slots,
      slots.map((k) => randomAction(starts[k].validActions!, 1, k, round)),
    );
  });
  await world.close();
  return [
    { name: `Search resets, ${name}`, value: resets, unit: 'resets/s' },
    { name: `Search new universes (60 articles), ${name}`, value: news, unit: 'universes/s' },
    { name: `Search steps, ${name}`, value: steps, unit: 'steps/s' },
  ];
}

async function indexRows(articles: number, seconds: number): Promise<SearchRow[]> {
  const universe = makeUniverse(1, { articles, facts: 8 });
  const documents = universe.entities.map(({ index }) => {
    const { title, text } = writeArticle(universe, index, 1);
    return { id: String(index), title, text };
  });
  const started = cpuSeconds();
  const index = await TextIndex.inMemory(documents);
  const took = cpuSeconds() - started;
  const statement = index.database.prepare(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  const [{ bytes }] = statement.all([]);
  statement.finalize();
  const searches = await rate(seconds, 1, async (round) => index.find(documents[(round * 7) % articles].title, 3));
  await index.close();
  const name = `${articles.toLocaleString('en-US')} articles`;
  return [
    { name: `indexing ${name}`, value: took, unit: 's' },
    { name: `index of ${name}`, value: Number(bytes) / articles, unit: 'bytes/article' },
    { name: `searches in ${name}`, value: searches, unit: 'searches/s' },
  ];
}

/** `match`: only the parts whose name contains it. */
async function measured(print: (row: SearchRow) => void, match = ''): Promise<SearchRow[]> {
  // The first index of a process includes the time for loading SQLite.
  await (await TextIndex.inMemory([])).close();
  const parts: { [name: string]: () => Promise<SearchRow[]> } = {
    'one world': () => batchRows(1, 1),
    '64 worlds': () => batchRows(64, 1),
    'small index': () => indexRows(60, 0.5),
    'index of 10,000': () => indexRows(10_000, 1),
    'index of 100,000': () => indexRows(100_000, 1),
  };
  const chosen = Object.keys(parts).filter((name) => name.includes(match));
  const all: SearchRow[] = [];
  for (const name of chosen)
    for (const row of await parts[name]()) {
      all.push(row);
      print(row);
    }
  return all;
}

export async function benchSearch(match?: string): Promise<Result> {
  const details = await measured(({ name, value, unit }) => console.log(`${name}: ${cell(value)} ${unit}`), match);
  const rows = details.map(({ name, value, unit }) => [name, value, unit]);
  return { on: cpu(), adapter: null, columns: ['', 'value', 'unit'], rows, details };
}
