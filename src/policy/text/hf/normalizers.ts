/**
 * Normalizers of Hugging Face's tokenizers (crates/tokenizers, `normalizers/`): each maps a text to a text before it is
 * split. A type that is not listed is refused by name.
 */
import { byteLetters } from '../byte-level.ts';
import { kindNamed, type Part, patternOf, TokenizerPartError, whiteSpace } from './pattern.ts';

export type Normalize = (text: string) => string;

const atStart = new RegExp(`^${whiteSpace}+`, 'u');
const atEnd = new RegExp(`${whiteSpace}+$`, 'u');
const space = new RegExp(whiteSpace, 'u');
/** BERT's Chinese characters: the blocks of unified and compatibility ideographs. */
const ideograph =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;
/** Control, format, private and replacement characters, which BERT's cleaning drops. */
const dropped = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u;
const letters = byteLetters();
const utf8 = new TextEncoder();

/** Bytes of a text as letters of the byte-level alphabet. */
export const asByteLetters = (text: string): string => Array.from(utf8.encode(text), (byte) => letters[byte]).join('');

/** Lower case character by character: JavaScript's own rule for a final sigma looks at its neighbours. */
const lowerCase = (text: string) => Array.from(text, (character) => character.toLowerCase()).join('');
const withoutAccents = (text: string) => text.normalize('NFD').replace(/\p{Mn}/gu, '');

function bert({ clean_text, handle_chinese_chars, strip_accents, lowercase }: Part): Normalize {
  const clean = (text: string) => Array.from(text, (c) => (dropped.test(c) ? '' : space.test(c) ? ' ' : c)).join('');
  const strips = strip_accents ?? lowercase;
  return (text) => {
    let out = clean_text ? clean(text) : text;
    if (handle_chinese_chars) out = out.replace(ideograph, ' $& ');
    if (strips) out = withoutAccents(out);
    return lowercase ? lowerCase(out) : out;
  };
}

function strip({ strip_left, strip_right }: Part): Normalize {
  return (text) => {
    const left = strip_left ? text.replace(atStart, '') : text;
    return strip_right ? left.replace(atEnd, '') : left;
  };
}

function replace({ pattern, content }: Part): Normalize {
  const expression = patternOf(pattern);
  return (text) => text.replace(expression, () => content as string);
}

/** A text may grow to so many times its length, and by so many characters. NFKD makes 18 of one. */
const [mostTimes, mostMore] = [20, 10_000];

/** Refuses a text that normalizers let grow without a bound, as doublings do. */
function bounded(out: string, text: string): string {
  if (out.length <= mostTimes * text.length + mostMore) return out;
  throw new TokenizerPartError(`a normalizer that makes ${out.length} characters of ${text.length}`);
}

const normalizers: { readonly [type: string]: (part: Part) => Normalize } = {
  Sequence: ({ normalizers: parts }) => {
    const each = (parts as Part[]).map((part) => normalizer(part));
    return (text) => each.reduce((out, normalize) => bounded(normalize(out), text), text);
  },
  NFC: () => (text) => text.normalize('NFC'),
  NFD: () => (text) => text.normalize('NFD'),
  NFKC: () => (text) => text.normalize('NFKC'),
  NFKD: () => (text) => text.normalize('NFKD'),
  Lowercase: () => lowerCase,
  StripAccents: () => (text) => text.replace(/\p{M}/gu, ''),
  Strip: strip,
  Replace: replace,
  Prepend:
    ({ prepend }) =>
    (text) =>
      text === '' ? text : `${prepend}${text}`,
  ByteLevel: () => asByteLetters,
  BertNormalizer: bert,
};

export function normalizer(part: Part | null | undefined): Normalize {
  if (!part) return (text) => text;
  const make = kindNamed(normalizers, part.type);
  if (!make) throw new TokenizerPartError(`a normalizer of type ${part.type ?? 'none'}`);
  return make(part);
}
