/**
 * Measures the proxy's index on disk with a million short passages: the time to build it, its size, and its queries per
 * second, one at a time.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIndex } from '../proxies/retrieval/build-index.ts';
import { openSource } from '../proxies/retrieval/sources.ts';
import type { Retriever } from '../src/corpus/retrieval/retriever.ts';
import { questionOf, titleOf, writeCorpus } from '../tools/corpus/made.ts';
import { cpu, type Result } from './result.ts';
import type { SearchRow } from './search.ts';

const passages = 1_000_000;
const wordsEach = 15;
const topk = 3;
const queryCount = 300;

/** Document numbers spread over the whole index. */
const numbers = Array.from({ length: queryCount }, (_, i) => Math.floor((i * 0.618 * passages) % passages));

/** Queries per second, and the 99th percentile of their milliseconds. */
async function rate(name: string, retriever: Retriever, queryOf: (k: number) => string): Promise<SearchRow[]> {
  const times: number[] = [];
  for (const k of numbers) {
    const began = performance.now();
    const [found] = await retriever.retrieve([queryOf(k)], topk);
    times.push(performance.now() - began);
    if (!found.length) throw new Error(`No passage was found for "${queryOf(k)}".`);
  }
  const sum = times.reduce((a, b) => a + b, 0);
  const sorted = times.sort((a, b) => a - b);
  return [
    { name, value: (1000 * queryCount) / sum, unit: 'queries/s' },
    { name: `${name}, 99th percentile`, value: sorted[Math.floor(0.99 * queryCount)], unit: 'ms' },
  ];
}

async function measured(print: (line: string) => void): Promise<SearchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tabgym-passages-'));
  try {
    const file = join(folder, 'made.jsonl');
    await writeCorpus(file, { documents: passages, length: wordsEach });
    const signal = new AbortController().signal;
    const built = await buildIndex({ name: 'made', folder, files: [file], signal, print: () => {} });
    print(`${built.documents} passages indexed in ${built.seconds.toFixed(0)} s`);
    const { retriever } = await openSource({ kind: 'corpus', name: 'made', folder });
    const rows: SearchRow[] = [
      { name: 'Passages', value: built.documents, unit: '' },
      { name: 'JSON lines', value: statSync(file).size / 1e6, unit: 'MB' },
      { name: 'Building', value: built.seconds, unit: 's' },
      { name: 'Index on disk', value: built.bytes / 1e6, unit: 'MB' },
      ...(await rate('A title of three words', retriever, titleOf)),
      ...(await rate('Four words of the text', retriever, (k) => questionOf(k, 4, wordsEach))),
    ];
    await retriever.close?.();
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchPassages(): Promise<Result> {
  const details = await measured((line) => console.log(line));
  return { on: cpu(), adapter: null, columns: ['', 'value', 'unit'], rows: details.map(Object.values), details };
}
