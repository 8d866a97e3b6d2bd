/**
 * Pre-tokenizers of Hugging Face's tokenizers (crates/tokenizers, `pre_tokenizers/`): each divides pieces of a text
 * into smaller ones, and no token crosses their ends. A type that is not listed is refused by name.
 *
 * They are written here because @huggingface/tokenizers 0.2.0 differs from the original: Digits supports ASCII digits
 * only, ByteLevel and WhitespaceSplit use JavaScript's white space, Whitespace supports ASCII words only, Punctuation
 * and Split ignore their behavior, Metaspace ignores `split`. docs/text.md lists an example of each.
 */
import { asByteLetters } from './normalizers.ts';
import {
  kindNamed,
  type Part,
  patternOf,
  punctuation,
  TokenizerPartError,
  whiteSpace,
  wordCharacters,
} from './pattern.ts';

export interface TextPiece {
  text: string;
  /** True if it begins where the whole text begins. */
  first: boolean;
}

export type PreTokenize = (piece: TextPiece) => TextPiece[];

/** A part of a text, and true if it is a match of the pattern. */
type Span = readonly [text: string, match: boolean];

/** Divides a text into matches and the parts between them. */
function spansOf(text: string, pattern: RegExp): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) spans.push([text.slice(end, match.index), false]);
    spans.push([match[0], true]);
    end = match.index + match[0].length;
  }
  if (end < text.length) spans.push([text.slice(end), false]);
  return spans;
}

/** Joins each match to its neighbour where `joins` is true of the two. */
function joined(spans: readonly Span[], joins: (match: boolean, previous: boolean) => boolean): string[] {
  const out: string[] = [];
  let previous = false;
  for (const [text, match] of spans) {
    if (out.length > 0 && joins(match, previous)) out[out.length - 1] += text;
    else out.push(text);
    previous = match;
  }
  return out;
}

/** The same from the end: a match joins the part after it. */
function joinedBackwards(spans: readonly Span[]): string[] {
  const out: string[] = [];
  let previous = false;
  for (const [text, match] of spans.toReversed()) {
    if (out.length > 0 && match && !previous) out[out.length - 1] = text + out[out.length - 1];
    else out.push(text);
    previous = match;
  }
  return out.reverse();
}

/** Behaviours of a delimiter (`SplitDelimiterBehavior`). */
const behaviors: { readonly [name: string]: (spans: readonly Span[]) => string[] } = {
  Isolated: (spans) => spans.map(([text]) => text),
  Removed: (spans) => spans.filter(([, match]) => !match).map(([text]) => text),
  Contiguous: (spans) => joined(spans, (match, previous) => match === previous),
  MergedWithPrevious: (spans) => joined(spans, (match, previous) => match && !previous),
  MergedWithNext: joinedBackwards,
};

/** Splits at a pattern. `inverted`: the parts between the matches are the delimiters. */
function split(pattern: RegExp, behavior: string, inverted = false): PreTokenize {
  const apply = kindNamed(behaviors, behavior);
  if (!apply) throw new TokenizerPartError(`a pre-tokenizer with the behavior ${behavior}`);
  return ({ text, first }) => {
    const spans = spansOf(text, pattern);
    const parts = apply(inverted ? spans.map(([part, match]): Span => [part, !match]) : spans);
    const begins = first && text.startsWith(parts[0] ?? ' ');
    return parts.filter((part) => part !== '').map((part, i) => ({ text: part, first: begins && i === 0 }));
  };
}

const class_ = (characters: string, count = '') => new RegExp(`[${characters}]${count}`, 'gu');

/** GPT-2's pattern, which ByteLevel applies with `use_regex`. */
const gpt2 = patternOf({
  Regex: "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
});

function byteLevel({ add_prefix_space, use_regex }: Part): PreTokenize {
  const parts = use_regex === false ? (piece: TextPiece) => [piece] : split(gpt2, 'Isolated');
  return ({ text, first }) => {
    const spaced = add_prefix_space && !text.startsWith(' ') ? ` ${text}` : text;
    return parts({ text: spaced, first }).map((piece) => ({ ...piece, text: asByteLetters(piece.text) }));
  };
}

function metaspace({ replacement, prepend_scheme, add_prefix_space, split: splits }: Part): PreTokenize {
  const mark = (replacement as string | undefined) ?? '\u2581';
  const scheme = prepend_scheme ?? (add_prefix_space === false ? 'never' : 'always');
  const parts = splits === false ? (piece: TextPiece) => [piece] : split(patternOf({ String: mark }), 'MergedWithNext');
  return ({ text, first }) => {
    const marked = text.replaceAll(' ', mark);
    const prepends = !marked.startsWith(mark) && (scheme === 'always' || (scheme === 'first' && first));
    return parts({ text: prepends ? mark + marked : marked, first });
  };
}

function fixedLength({ length }: Part): PreTokenize {
  const size = (length as number | undefined) ?? 5;
  return ({ text, first }) => {
    const characters = Array.from(text);
    const count = Math.ceil(characters.length / size);
    return Array.from({ length: count }, (_, i) => ({
      text: characters.slice(i * size, (i + 1) * size).join(''),
      first: first && i === 0,
    }));
  };
}

const inTurn =
  (each: readonly PreTokenize[]): PreTokenize =>
  (piece) =>
    each.reduce((pieces, divide) => pieces.flatMap(divide), [piece]);

const preTokenizers: { readonly [type: string]: (part: Part) => PreTokenize } = {
  Sequence: ({ pretokenizers: parts }) => inTurn((parts as Part[]).map((part) => preTokenizer(part))),
  ByteLevel: byteLevel,
  Metaspace: metaspace,
  FixedLength: fixedLength,
  Split: ({ pattern, behavior, invert }) => split(patternOf(pattern), behavior as string, invert === true),
  Digits: ({ individual_digits }) => split(class_('\\p{N}'), individual_digits ? 'Isolated' : 'Contiguous'),
  Punctuation: ({ behavior }) => split(class_(punctuation), (behavior as string | undefined) ?? 'Isolated'),
  Whitespace: () => split(new RegExp(`[${wordCharacters}]+|[^${wordCharacters}${whiteSpace}]+`, 'gu'), 'Removed', true),
  WhitespaceSplit: () => split(class_(whiteSpace), 'Removed'),
  CharDelimiterSplit: ({ delimiter }) => split(patternOf({ String: delimiter }), 'Removed'),
  BertPreTokenizer: () => inTurn([split(class_(whiteSpace), 'Removed'), split(class_(punctuation), 'Isolated')]),
};

export function preTokenizer(part: Part | null | undefined): PreTokenize {
  if (!part) return (piece) => [piece];
  const make = kindNamed(preTokenizers, part.type);
  if (!make) throw new TokenizerPartError(`a pre-tokenizer of type ${part.type ?? 'none'}`);
  return make(part);
}
