/**
 * Decoders of Hugging Face's tokenizers (crates/tokenizers, `decoders/`): each maps a list of token texts to a list,
 * and the end of the chain is joined. A type that is not listed is refused by name.
 *
 * They are written here because @huggingface/tokenizers 0.2.0 differs from the original: ByteFallback keeps the good
 * part of broken bytes and drops a byte-order mark, ByteLevel divides at added tokens, Metaspace removes one mark of the
 * first token where the original removes all. docs/text.md lists an example of each.
 */
import { byteLetters } from '../byte-level.ts';
import { kindNamed, type Part, patternOf, TokenizerPartError } from './pattern.ts';

type DecodeChain = (tokens: readonly string[]) => string[];

const byteOf = new Map(byteLetters().map((letter, byte) => [letter, byte]));
const utf8 = new TextEncoder();
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const broken = '\uFFFD';

/** Byte of a token such as "<0xE4>"; undefined: an ordinary token. */
export function byteOfToken(token: string): number | undefined {
  const [, digits] = /^<0x([0-9A-Fa-f]{2})>$/.exec(token) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** Bytes of a token: by its letters, or those of its own text if one is not of the byte-level alphabet. */
function bytesOf(token: string): number[] | Uint8Array {
  const bytes = Array.from(token, (letter) => byteOf.get(letter));
  return bytes.includes(undefined) ? utf8.encode(token) : (bytes as number[]);
}

/** A run of bytes as text: all of it, or one U+FFFD for each byte. */
function runOf(bytes: readonly number[]): string[] {
  try {
    return [strict.decode(Uint8Array.from(bytes))];
  } catch {
    return bytes.map(() => broken);
  }
}

function byteFallback(tokens: readonly string[]): string[] {
  const out: string[] = [];
  let run: number[] = [];
  for (const token of [...tokens, null]) {
    const byte = token === null ? undefined : byteOfToken(token);
    if (byte !== undefined) {
      run.push(byte);
      continue;
    }
    if (run.length > 0) out.push(...runOf(run));
    run = [];
    if (token !== null) out.push(token);
  }
  return out;
}

/** Corrections of spaces before punctuation, in the order of `decoders/wordpiece.rs`. */
const corrections: readonly [string, string][] = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [' do not', " don't"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];
const cleaned = (text: string) => corrections.reduce((out, [from, to]) => out.replaceAll(from, to), text);

function wordPiece({ prefix, cleanup }: Part): DecodeChain {
  const mark = (prefix as string | undefined) ?? '##';
  return (tokens) =>
    tokens.map((token, i) => {
      const continued = i > 0 && token.startsWith(mark);
      const text = i === 0 ? token : continued ? token.slice(mark.length) : ` ${token}`;
      return cleanup ? cleaned(text) : text;
    });
}

function metaspace({ replacement, prepend_scheme, add_prefix_space }: Part): DecodeChain {
  const mark = (replacement as string | undefined) ?? '\u2581';
  const scheme = prepend_scheme ?? (add_prefix_space === false ? 'never' : 'always');
  return (tokens) => tokens.map((token, i) => token.replaceAll(mark, i === 0 && scheme !== 'never' ? '' : ' '));
}

function strip({ content, start, stop }: Part): DecodeChain {
  return (tokens) =>
    tokens.map((token) => {
      const characters = Array.from(token);
      let [from, to] = [0, characters.length];
      while (from < (start as number) && characters[from] === content) from++;
      while (characters.length - to < (stop as number) && to > 0 && characters[to - 1] === content) to--;
      return characters.slice(from, Math.max(from, to)).join('');
    });
}

function bpe({ suffix }: Part): DecodeChain {
  const end = (suffix as string | undefined) ?? '</w>';
  return (tokens) => tokens.map((token, i) => token.replaceAll(end, i === tokens.length - 1 ? '' : ' '));
}

function replace({ pattern, content }: Part): DecodeChain {
  const expression = patternOf(pattern);
  return (tokens) => tokens.map((token) => token.replace(expression, () => content as string));
}

const decoders: { readonly [type: string]: (part: Part) => DecodeChain } = {
  Sequence: ({ decoders: parts }) => {
    const each = (parts as Part[]).map(chainOf);
    return (tokens) => each.reduce<string[]>((out, decode) => decode(out), [...tokens]);
  },
  ByteLevel: () => (tokens) => [lossy.decode(Uint8Array.from(tokens.flatMap((token) => [...bytesOf(token)])))],
  ByteFallback: () => byteFallback,
  WordPiece: wordPiece,
  Metaspace: metaspace,
  Strip: strip,
  BPEDecoder: bpe,
  Replace: replace,
  Fuse: () => (tokens) => [tokens.join('')],
};

function chainOf(part: Part): DecodeChain {
  const make = kindNamed(decoders, part.type);
  if (!make) throw new TokenizerPartError(`a decoder of type ${part.type ?? 'none'}`);
  return make(part);
}

/** Decoder of a `tokenizer.json`. Without one, tokens are joined with spaces. */
export function decoder(part: Part | null | undefined): (tokens: readonly string[]) => string {
  if (!part) return (tokens) => tokens.join(' ');
  const decode = chainOf(part);
  return (tokens) => decode(tokens).join('');
}
