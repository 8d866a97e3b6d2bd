import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { buildTokenizer, buildTokenizerJson, specialTokens, Tokenizer } from '../../src/policy/text/tokenizer.ts';
import { allowedAlong, buildTrie, SequenceTrie } from '../../src/policy/text/trie.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { TokenSource } from '../../src/rl/episode/trajectory.ts';

const texts = [
  'Crafting commands:\ncraft 4 acacia planks using 1 acacia logs\n\nGoal: craft acacia planks.',
  'craft 3 acacia sign using 6 acacia planks, 1 stick',
  'Inventory: [acacia logs] (4) ',
  'get 1 acacia logs',
  'Crafted 4 minecraft:acacia_planks',
];
const tokenizer = buildTokenizer(texts);
const words = (ids: ArrayLike<number>) => Array.from(ids, (id) => tokenizer.tokenTexts()[id]);

describe('tokenizer', () => {
  it('has a token for every word of its texts, without [UNK]', () => {
    for (const text of texts) expect(words(tokenizer.encode(text))).not.toContain('[UNK]');
    expect(words(tokenizer.encode(texts[4]))).toEqual(['Crafted', '4', 'minecraft', ':', 'acacia', 'planks']);
  });

  it('returns an action unchanged', () => {
    for (const action of ['craft 3 acacia sign using 6 acacia planks, 1 stick', 'get 1 acacia logs']) {
      expect(tokenizer.decode(tokenizer.encode(action))).toBe(action);
    }
  });

  it('spells unseen words and numbers', () => {
    expect(tokenizer.decode(tokenizer.encode('get 1728 zombies'))).toBe('get 1728 zombies');
    expect(words(tokenizer.encode('1728'))).toEqual(['17', '##2', '##8']);
    expect(words(tokenizer.encode('~!@#$%^&*()_+{}|:"<>?`-=[]\\;\',./'))).not.toContain('[UNK]');
  });

  it('puts its special tokens first, and reads them in a text', () => {
    expect(tokenizer.tokenTexts().slice(0, specialTokens.length)).toEqual([...specialTokens]);
    expect(Array.from(tokenizer.encode('<obs>get<eot>'))).toEqual([
      tokenizer.id('<obs>'),
      tokenizer.id('get'),
      tokenizer.id('<eot>'),
    ]);
    expect(() => tokenizer.id('<nothing>')).toThrow(/<nothing>/);
  });

  it('does not depend on the order of its texts, and survives its file', () => {
    expect(buildTokenizerJson([...texts].reverse())).toEqual(buildTokenizerJson(texts));
    const again = new Tokenizer(JSON.parse(JSON.stringify(tokenizer.json)));
    for (const text of texts) expect(again.encode(text)).toEqual(tokenizer.encode(text));
    expect(again.vocabSize).toBe(tokenizer.vocabSize);
  });

  it('takes a name of several words as one token, the longest that fits, and decodes it unchanged', () => {
    const names = ['acacia planks', 'acacia logs', 'dark acacia planks', 'stick', 'acacia planks slab'];
    const named = buildTokenizer(texts, { names });
    const read = (text: string) => Array.from(named.encode(text), (id) => named.token(id));
    const action = 'craft 3 dark acacia planks using 6 acacia planks, 1 stick';
    expect(read(action)).toEqual([
      'craft',
      '3',
      'dark acacia planks',
      'using',
      '6',
      'acacia planks',
      ',',
      '1',
      'stick',
    ]);
    expect(read('acacia planks slab acacia sign')).toEqual(['acacia planks slab', 'acacia', 'sign']);
    expect(read('minecraft:acacia_planks')).toEqual(['minecraft', ':', 'acacia', 'planks']);
    for (const text of [...texts.slice(1, 4), action]) {
      expect(named.decode(named.encode(text))).toBe(tokenizer.decode(tokenizer.encode(text)));
      expect([...named.encode(text)]).toEqual(new HuggingFaceTokenizer(named.json, {}).encode(text).ids);
    }
    // Single words keep their ids, since names are only appended; a single word never becomes a name.
    expect(tokenizer.tokenTexts().every((word, id) => named.token(id) === word)).toBe(true);
    expect(named.vocabSize).toBe(tokenizer.vocabSize + 4);
    expect(buildTokenizerJson(texts, { names: [...names].reverse() })).toEqual(named.json);
  });

  it('refuses a broken file with a message', () => {
    expect(() => new Tokenizer({} as never)).toThrow(/tokenizer\.json cannot be loaded/);
  });
});

it('reads text word by word as the library reads it whole', () => {
  const library = new HuggingFaceTokenizer(tokenizer.json, {});
  const marks =
    "get,craft|4_acacia|<obs>|<eot>x|[UNK]|[acacia|logs]|(4)|1728|zombies|don't|a-b|\u00e9t\u00e9|tab\there|line\nbreak| ".split(
      '|',
    );
  for (let n = 0; n < 2000; n++) {
    const text = [n, n * 7, n * 31, n * 101].map((k) => marks[k % marks.length]).join([' ', '  ', '\n'][n % 3]);
    expect([text, ...tokenizer.encode(text)]).toEqual([
      text,
      ...library.encode(text, { add_special_tokens: false }).ids,
    ]);
  }
});

describe('trie', () => {
  it('of a list is the same whatever was listed before', () => {
    const shared = new SequenceTrie();
    const all = Array.from({ length: 300 }, (_, n) => [n % 7, (n * n) % 11, n % 5, 99].slice(n % 3));
    const listed = all.map((sequence) => shared.add(sequence));
    for (let n = 1; n < 60; n++) {
      const chosen = all.map((_, i) => i).filter((i) => (i * n) % 13 < 3);
      const [ours, separate] = [shared.select(chosen.map((i) => listed[i])), buildTrie(chosen.map((i) => all[i]))];
      expect(ours.trie).toEqual(separate.trie);
      const leaves = [...ours.trie.leaf].filter((leaf) => leaf >= 0);
      expect(leaves.length).toBe(new Set(chosen.map((i) => all[i].join())).size);
      for (const leaf of leaves) expect(ours.tail(leaf)).toEqual(separate.tail(leaf));
    }
  });

  /**
   * The same trie by its definition: children in ascending order of tokens, breadth first, a leaf once only one
   * sequence is left.
   */
  function byDefinition(sequences: readonly (readonly number[])[]) {
    const edgeStart: number[] = [];
    const [edgeToken, edgeNode, leaf]: [number[], number[], number[]] = [[], [], []];
    const different = sequences.filter((a, i) => sequences.findIndex((b) => b.join() === a.join()) === i);
    const queue: { members: readonly (readonly number[])[]; depth: number }[] = [{ members: different, depth: 0 }];
    const depths: number[] = [];
    for (const { members, depth } of queue) {
      edgeStart.push(edgeToken.length);
      depths.push(depth);
      leaf.push(members.length === 1 ? sequences.indexOf(members[0]) : -1);
      if (members.length === 1) continue;
      for (const token of [...new Set(members.map((member) => member[depth]))].sort((a, b) => a - b)) {
        edgeToken.push(token);
        edgeNode.push(queue.length);
        queue.push({ members: members.filter((member) => member[depth] === token), depth: depth + 1 });
      }
    }
    return { edgeStart: [...edgeStart, edgeToken.length], edgeToken, edgeNode, leaf, depth: Math.max(...depths) };
  }

  it('of many lists agrees with the definition', () => {
    const shared = new SequenceTrie();
    for (let n = 0; n < 200; n++) {
      const sequences = Array.from({ length: 1 + ((n * 7) % 90) }, (_, k) => [
        ...Array.from({ length: (k * n) % 5 }, (_, i) => (k * 31 + n * 17 + i * i * 7) % 6),
        (k * 13 + n) % 40,
        99,
      ]);
      const numbers = sequences.map((sequence) => shared.add(sequence));
      const { trie, sequence, tail, longest } = shared.select(numbers);
      const flat = Object.fromEntries(
        Object.entries(trie).map(([name, values]) => [name, typeof values === 'number' ? values : [...values]]),
      );
      expect(flat).toEqual(byDefinition(sequences));
      expect(longest).toBe(Math.max(...sequences.map(({ length }) => length)));
      for (const leaf of [...trie.leaf].filter((each) => each >= 0)) {
        expect([...sequence(leaf)]).toEqual(sequences[leaf]);
        expect(sequences[leaf].slice(sequences[leaf].length - tail(leaf).length)).toEqual([...tail(leaf)]);
      }
    }
  });

  it('refuses a sequence that is a prefix of another, in either order', () => {
    expect(() =>
      buildTrie([
        [1, 2],
        [1, 2, 3],
      ]),
    ).toThrow(/Sequence 0 of the trie is a prefix/);
    expect(() => buildTrie([[4], [1, 2, 3], [1, 2]])).toThrow(/Sequence 2 of the trie is a prefix/);
  });

  const end = 9;
  const sequences = [
    [1, 2, 3, end],
    [1, 2, end],
    [1, 4, 5, 6, end],
    [7, 8, end],
  ];
  const { trie, tail } = buildTrie(sequences);

  /** Every path from the root to a leaf. */
  function paths(node = 0, path: number[] = []): { leaf: number; path: number[] }[] {
    if (trie.leaf[node] >= 0) return [{ leaf: trie.leaf[node], path }];
    const edges = Array.from(
      { length: trie.edgeStart[node + 1] - trie.edgeStart[node] },
      (_, i) => trie.edgeStart[node] + i,
    );
    return edges.flatMap((edge) => paths(trie.edgeNode[edge], [...path, trie.edgeToken[edge]]));
  }

  it('leads to each sequence once, as path and tail together', () => {
    const found = paths();
    expect(found.map(({ leaf }) => leaf).sort()).toEqual([0, 1, 2, 3]);
    for (const { leaf, path } of found) expect([...path, ...tail(leaf)]).toEqual(sequences[leaf]);
  });

  it('stops as soon as the sequence is determined', () => {
    expect(Object.fromEntries(paths().map(({ leaf, path }) => [leaf, path.length]))).toEqual({
      0: 3,
      1: 3,
      2: 2,
      3: 1,
    });
    expect(trie.depth).toBe(3);
  });

  it('has its edges in ascending order, whatever the order of the sequences', () => {
    for (let node = 0; node < trie.leaf.length; node++) {
      const edges = Array.from(trie.edgeToken.subarray(trie.edgeStart[node], trie.edgeStart[node + 1]));
      expect(edges).toEqual([...edges].sort((a, b) => a - b));
    }
    const other = buildTrie([...sequences].reverse()).trie;
    expect(other.edgeToken).toEqual(trie.edgeToken);
    expect(other.edgeNode).toEqual(trie.edgeNode);
    expect(Array.from(other.leaf, (leaf) => (leaf < 0 ? leaf : 3 - leaf))).toEqual(Array.from(trie.leaf));
  });

  it('lists the allowed tokens at each step', () => {
    expect(allowedAlong(trie, [1, 2, end]).map((allowed) => Array.from(allowed))).toEqual([
      [1, 7],
      [2, 4],
      [3, end],
    ]);
    expect(() => allowedAlong(trie, [1, 7])).toThrow(/Token 7/);
  });

  it('takes a repeated sequence once', () => {
    const { trie: same } = buildTrie([
      [1, 2],
      [1, 2],
    ]);
    expect(Array.from(same.leaf)).toEqual([0]);
    expect(same.depth).toBe(0);
  });

  it('refuses an empty sequence', () => {
    expect(() => buildTrie([[1], []])).toThrow(/Sequence 1/);
  });
});

describe('conversation', () => {
  const conversation = new Conversation(tokenizer);

  it('frames the world’s texts in template tokens', () => {
    const prompt = conversation.prompt('Goal: craft acacia planks.');
    expect(words(prompt.tokens)).toEqual(['<bos>', '<obs>', 'Goal', ':', 'craft', 'acacia', 'planks', '.', '<act>']);
    const { template, world } = TokenSource;
    expect(Array.from(prompt.source)).toEqual([template, template, world, world, world, world, world, world, template]);
  });

  it('ends every action with a token that is not part of its text', () => {
    const action = conversation.action('get 1 acacia logs');
    expect(words(action).at(-1)).toBe('<eot>');
    expect(conversation.replyText(action)).toBe('get 1 acacia logs');
    expect(conversation.replyText(Int32Array.of())).toBe('');
  });
});
