/** The search for added tokens finds what a search through all of them finds. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AddedToken, AddedTokens } from '../../src/policy/text/hf/added-tokens.ts';
import { buildTokenizerJson, Tokenizer } from '../../src/policy/text/tokenizer.ts';

/** At each place the longest token, the first of equal ones. */
function naive(tokens: readonly AddedToken[], text: string): (string | number)[] {
  const longestFirst = [...tokens].sort((a, b) => b.content.length - a.content.length);
  const out: (string | number)[] = [];
  let plain = '';
  for (let at = 0; at < text.length; ) {
    const found = longestFirst.find(({ content }) => text.startsWith(content, at));
    if (!found) {
      plain += text[at++];
      continue;
    }
    if (plain) out.push(plain);
    plain = '';
    out.push(found.id);
    at += found.content.length;
  }
  return plain ? [...out, plain] : out;
}

const letters = fc.string({
  unit: fc.constantFrom('a', 'b', '\ud83d', '\ude00', '\uffff'),
  minLength: 1,
  maxLength: 6,
});

it('returns what a search through all tokens returns', () => {
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 20 }),
      fc.array(letters, { maxLength: 12 }).map((parts) => parts.join('')),
      (contents, text) => {
        const tokens = contents.map((content, id) => ({ id, content, normalized: false }));
        const found = new AddedTokens(tokens, (each) => each).sections(text);
        const read = found.map((each) => (typeof each === 'number' ? each : each.text));
        expect(read.filter((each) => each !== '')).toEqual(naive(tokens, text));
      },
    ),
    { numRuns: 2000 },
  );
});

it('100,000 tokens that begin alike are looked up, not tried one by one', () => {
  const tokens = Array.from({ length: 100_000 }, (_, id) => ({ id, content: `<|s_${id}|>`, normalized: false }));
  const added = new AddedTokens(tokens, (each) => each);
  const ids = Array.from({ length: 2000 }, (_, k) => (k * 7919) % 100_000);
  // Each "<" begins no token, where a search through all of them would take a minute.
  const text = ids.map((id) => `<<<<<<<<<<<<<<<<<<<<|s_${id}|>`).join('');
  expect(added.sections(text).filter((each) => typeof each === 'number')).toEqual(ids);
});

it('a tokenizer of whole words looks up 4,000 names that begin alike', () => {
  // One expression of them all exhausts the stack of V8's compiler, which ends the process.
  const names = Array.from({ length: 4000 }, (_, k) => `a ${'a'.repeat(k + 1)}b`);
  const tokenizer = new Tokenizer(buildTokenizerJson(['a'], { names }));
  const read = (text: string) => Array.from(tokenizer.encode(text), (id) => tokenizer.token(id));
  expect(read(`x ${names[3000]} a ${names[0]} <eot> a ab`)).toEqual([
    'x',
    names[3000],
    'a',
    names[0],
    '<eot>',
    names[0],
  ]);
});

it('99,000 whole words and names are read in the time of four times 24,750 of them', () => {
  const secondsOf = (count: number) => {
    const names = Array.from({ length: count }, (_, k) => `${((k * 2_654_435_761) % 2 ** 32).toString(36)} ${k}`);
    const json = buildTokenizerJson(['a'], { names });
    const seconds = Array.from({ length: 3 }, () => {
      const start = performance.now();
      expect(new Tokenizer(json).encode(`a ${names[7]} a`)).toHaveLength(3);
      return (performance.now() - start) / 1000;
    });
    return Math.min(...seconds);
  };
  // A search that compares each with all others takes sixteen times as long.
  expect(secondsOf(99_000) / secondsOf(24_750)).toBeLessThan(10);
});

it('WordPiece takes the longest token at each place, as a search through all of them does', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '#', '\ud83d\ude00'), minLength: 1, maxLength: 5 });
  const naiveOf = (vocab: readonly string[], word: string): string[] => {
    const out: string[] = [];
    for (let at = 0; at < word.length; ) {
      const bare = vocab.flatMap((token) => (at === 0 ? [token] : token.startsWith('##') ? [token.slice(2)] : []));
      const fits = bare.filter((text) => text && word.startsWith(text, at)).sort((a, b) => b.length - a.length);
      if (!fits.length) return ['[UNK]'];
      out.push(at === 0 ? fits[0] : `##${fits[0]}`);
      at += fits[0].length;
    }
    return out;
  };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(piece, { minLength: 1, maxLength: 8 }), (parts, words) => {
      const vocab = ['[UNK]', '##a', ...parts, ...parts.map((part) => `##${part}`)];
      const ids = Object.fromEntries([...new Set(vocab)].map((token, id) => [token, id]));
      const model = { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', vocab: ids };
      const tokenizer = new Tokenizer({ ...buildTokenizerJson([]), added_tokens: [], pre_tokenizer: null, model });
      for (const word of [...words, words.join('')])
        expect(Array.from(tokenizer.encode(word), (id) => tokenizer.token(id))).toEqual(
          naiveOf(Object.keys(ids), word),
        );
    }),
    { numRuns: 1000 },
  );
});
