// A tiny policy's tokens on the real world: the vocabulary covers every text of TextCraft, and every valid action
// survives encoding and decoding.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { Feedback } from '../../src/envs/env.ts';
import { buildTokenizer, type Tokenizer } from '../../src/policy/text/tokenizer.ts';
import { buildTrie } from '../../src/policy/text/trie.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { textsOf } from '../../src/session/text/vocabulary.ts';
import { TextCraft } from '../../src/worlds/textcraft/world.ts';

const golden = join(resolve(process.env.TABGYM_GOLDEN ?? '../shared/golden'), 'textcraft/episodes.jsonl.gz');
const present = existsSync(golden);
if (!present) console.log(`skipped: no recorded episodes at ${golden} (set TABGYM_GOLDEN)`);

let tokenizer: Tokenizer;
let first: Feedback[];

beforeAll(async () => {
  await buildWasm();
  const world = await TextCraft.open();
  tokenizer = buildTokenizer(await textsOf(world));
  const tasks = [...(await world.tasks({}, 'train')), ...(await world.tasks({}, 'test'))];
  first = await world.reset([...tasks.keys()], tasks);
});

describe('TextCraft in tokens', () => {
  it('return every valid action of every task', () => {
    const actions = new Set(first.flatMap(({ validActions }) => validActions!));
    expect(actions.size).toBeGreaterThan(500);
    for (const action of actions) expect(tokenizer.decode(tokenizer.encode(action))).toBe(action);
  });

  it('distinguish all valid actions of a task', () => {
    const conversation = new Conversation(tokenizer);
    for (const { validActions } of first) {
      const { trie } = buildTrie(validActions!.map((action) => conversation.action(action)));
      const leaves = Array.from(trie.leaf).filter((leaf) => leaf >= 0);
      expect(leaves.sort((a, b) => a - b)).toEqual([...validActions!.keys()]);
    }
  });

  it.skipIf(!present)('cover every word of the recorded episodes', () => {
    const unknown = tokenizer.id('[UNK]');
    const lines = gunzipSync(readFileSync(golden)).toString().trim().split('\n');
    let texts = 0;
    for (const line of lines) {
      const { obs, expert, random } = JSON.parse(line);
      const steps: { a: string; obs: string }[] = [...expert, ...random.flat()];
      for (const text of [obs, ...steps.flatMap((step) => [step.a, step.obs])]) {
        if (tokenizer.encode(text).includes(unknown)) throw new Error(`[UNK] in: ${text}`);
        texts += 1;
      }
    }
    expect(texts).toBeGreaterThan(10_000);
  });
});
