/**
 * `npm run replay -- served FILE`: sends the requests recorded from AgentGym's servers to our server, in this process,
 * and compares the answers: the parsed JSON if the status is 200, otherwise only the status. Each record gets a fresh
 * server, with ids from 0.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Split, Task, World, WorldOptions } from '../../src/envs/env.ts';
import { WorldError } from '../../src/envs/env.ts';
import { createServer, type Server } from '../../src/server/server.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { Search } from '../../src/worlds/search/world.ts';
import type { ReplayResult } from './result.ts';
import { openRecordedItems, openRecordedRetriever, readRows } from './search.ts';

interface Exchange {
  method: string;
  path: string;
  request_headers: { [name: string]: string };
  body: string | null;
  status: number;
  response: string;
  /** Hash of the response's canonical JSON, stored instead of the response. */
  hash?: string;
}

export interface ServedRecord {
  server: string;
  name: string;
  exchanges: Exchange[];
}

/** Sizes of SearchQA's two files; the test items come first. In the recordings both repeat the same few questions. */
const testItems = 51_713;
const allItems = 221_328;
const trainShift = 7;

class RecordedSearch extends Search {
  override async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    // The form counts the training questions first; a recording has one list.
    const count = split === 'train' ? allItems : 0;
    return Array.from({ length: count }, (_, id) => ({ world: 'search', id, options, strata: {} }));
  }
}

/** AgentGym's SearchQA with the retriever and the questions of a recording. */
function openRecordedSearch(file: string): World {
  const retriever = openRecordedRetriever(file);
  const items = openRecordedItems(file);
  const question = (number: number) => {
    const index = number < testItems ? number : number - testItems + trainShift;
    const { question: text, golds } = items[index % items.length];
    return { text, golds, hops: null, evidence: [] };
  };
  // One source serves all items, so a question's number is the item's.
  const source = { retriever, question, namedBy: () => [], mentionsOf: () => [] };
  return new RecordedSearch(async (_options, universe) => ({
    ...source,
    question: (number: number) => question(universe * questionsEach + number),
  }));
}

const questionsEach = 20;

/** A prompt's wording is our own, so only the part after it is compared. */
const withoutProse = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\n\n Question: ')
    ? value.slice(value.lastIndexOf('\n\n Question: '))
    : value;

/** JSON of the value with sorted keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

async function ask(server: Server, { method, path, request_headers, body }: Exchange) {
  const response = await server.app.inject({
    method: method as 'GET',
    url: path,
    headers: request_headers,
    ...(body !== null && { payload: body }),
  });
  return { status: response.statusCode, text: response.body };
}

export interface ServedReplay extends ReplayResult {
  /** One entry for each exchange that differs. */
  differences: { where: string; what: string; expected: unknown; found: unknown }[];
}

/** Returns a function that opens each world once and shares it among the servers of all records. */
function lendWorlds(file: string): (name: string) => Promise<World> {
  const opened = new Map<string, Promise<World>>();
  const open = (name: string) => (name === 'search' ? Promise.resolve(openRecordedSearch(file)) : openWorld(name));
  return async (name) => {
    if (!opened.has(name)) opened.set(name, open(name));
    const world = await opened.get(name)!;
    return new Proxy(world, {
      get(target, key) {
        if (key === 'close') return async () => {};
        const value = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
}

async function replayRecord(record: ServedRecord, server: Server, result: ServedReplay): Promise<void> {
  for (const [k, exchange] of record.exchanges.entries()) {
    const found = await ask(server, exchange);
    const where = `${record.name}, exchange ${k + 1}, ${exchange.method} ${exchange.path} ${exchange.body ?? ''}`;
    result.total++;
    const difference = differenceOf(exchange, found);
    if (difference) result.differences.push({ where, ...difference });
    else result.agree++;
  }
}

/** Hash that the recordings store instead of a large answer. */
const hashOf = (text: string): string =>
  createHash('sha256')
    .update(canonical(withoutProse(JSON.parse(text))))
    .digest('hex')
    .slice(0, 16);

function differenceOf({ status, response, hash }: Exchange, found: { status: number; text: string }) {
  if (status !== found.status)
    return { what: 'status', expected: `${status} ${response.slice(0, 200)}`, found: `${found.status} ${found.text}` };
  if (status !== 200) return null;
  if (hash) return hash === hashOf(found.text) ? null : { what: 'hash', expected: hash, found: found.text };
  const [expected, ours] = [response, found.text].map((text) => withoutProse(JSON.parse(text)));
  return canonical(expected) === canonical(ours) ? null : { what: 'answer', expected, found: ours };
}

/** Replays records, each on a fresh server. */
export async function replayRecords(
  records: readonly ServedRecord[],
  open: (name: string) => Promise<World>,
): Promise<ServedReplay> {
  const result: ServedReplay = { items: records.length, agree: 0, total: 0, first: null, differences: [] };
  for (const record of records) {
    const server = await createServer({
      worlds: [record.server],
      openWorld: open,
      sessions: 1000,
      idleSeconds: 3600,
      origins: [],
      report: () => {},
    });
    try {
      await replayRecord(record, server, result);
    } finally {
      await server.close();
    }
  }
  [result.first = null] = result.differences;
  return result;
}

export function readServed(file: string): ServedRecord[] {
  const records = readRows(file).filter((row) => 'exchanges' in row) as unknown as ServedRecord[];
  if (records.length === 0) throw new WorldError(`${basename(file)} contains no record of requests to a server.`);
  return records;
}

export const replayServed = (file: string): Promise<ServedReplay> => replayRecords(readServed(file), lendWorlds(file));
