/**
 * Added tokens of a `tokenizer.json`: texts that become one token wherever they stand, found before (normalized: false)
 * or after the normalizer. Follows `tokenizer/added_vocabulary.rs` of Hugging Face's tokenizers: the leftmost match, the
 * longest of those; `single_word` passes over a match beside a word character, `lstrip` and `rstrip` take the white
 * space beside it.
 */
import type { Normalize } from './normalizers.ts';
import { TokenizerPartError, whiteSpace, wordCharacters } from './pattern.ts';
import type { TextPiece } from './pre-tokenizers.ts';

export interface AddedToken {
  id: number;
  content: string;
  single_word?: boolean;
  lstrip?: boolean;
  rstrip?: boolean;
  normalized?: boolean;
  special?: boolean;
}

/** A piece of text, or the id of an added token. */
export type Section = TextPiece | number;

/** True for a token that is found after the normalizer. */
export const isNormalized = ({ normalized, special }: AddedToken): boolean => normalized ?? !special;

const wordBefore = new RegExp(`[${wordCharacters}]$`, 'u');
const wordAfter = new RegExp(`^[${wordCharacters}]`, 'u');
const space = new RegExp(whiteSpace, 'u');
const leadingSpace = new RegExp(`^${whiteSpace}+`, 'u');

/** True if the match may stand there. */
function mayStand({ single_word }: AddedToken, text: string, start: number, end: number): boolean {
  if (!single_word) return true;
  // Two UTF-16 units hold the nearest character.
  return !wordBefore.test(text.slice(Math.max(0, start - 2), start)) && !wordAfter.test(text.slice(end, end + 2));
}

interface Entry {
  text: string;
  token: AddedToken;
  /** Index of the longest other entry with which this one begins; -1: there is none. */
  shorter: number;
}

/** Entries in the order of their texts, the first of equal texts alone. */
function sorted(entries: readonly Omit<Entry, 'shorter'>[]): Entry[] {
  const unique = new Map<string, Entry>();
  for (const each of entries) if (!unique.has(each.text)) unique.set(each.text, { ...each, shorter: -1 });
  const list = [...unique.values()].sort((a, b) => (a.text < b.text ? -1 : 1));
  // Entries with which the current one begins stand before it, nested.
  const open: number[] = [];
  for (const [k, each] of list.entries()) {
    while (open.length && !each.text.startsWith(list[open.at(-1)!].text)) open.pop();
    each.shorter = open.at(-1) ?? -1;
    open.push(k);
  }
  return list;
}

/** Finds added tokens in a text. */
class Finder {
  private readonly list: readonly Entry[];
  private readonly firsts: ReadonlySet<string>;

  constructor(tokens: readonly AddedToken[], textOf: (token: AddedToken) => string) {
    const entries = tokens.filter(({ content }) => content !== '').map((token) => ({ token, text: textOf(token) }));
    const empty = entries.find(({ text }) => text === '');
    if (empty)
      throw new TokenizerPartError(`the added token "${empty.token.content}", of which the normalizer leaves nothing`);
    this.list = sorted(entries);
    this.firsts = new Set(this.list.map(({ text }) => text[0]));
  }

  /** The longest entry at a place of a text. Searches by halves: some models have 65,000 tokens that begin alike. */
  private at(text: string, place: number): Entry | undefined {
    if (!this.firsts.has(text[place])) return undefined;
    const rest = text.slice(place);
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.list[middle].text <= rest) low = middle + 1;
      else high = middle;
    }
    // What stands at the place is the last entry before its text, or one with which that entry begins.
    let k = low - 1;
    while (k >= 0 && !rest.startsWith(this.list[k].text)) k = this.list[k].shorter;
    return this.list[k];
  }

  /** Divides a piece at the added tokens. */
  split(piece: TextPiece): Section[] {
    const { text } = piece;
    if (this.list.length === 0) return [piece];
    const sections: Section[] = [];
    let done = 0;
    const takeText = (end: number) => {
      if (done < end) sections.push({ text: text.slice(done, end), first: piece.first && done === 0 });
    };
    for (let at = 0; at < text.length; ) {
      const found = this.at(text, at);
      if (!found) {
        at++;
        continue;
      }
      let [start, end] = [at, at + found.text.length];
      at = end;
      if (!mayStand(found.token, text, start, end)) continue;
      if (found.token.lstrip) {
        while (start > 0 && space.test(text[start - 1])) start--;
        start = Math.max(start, done);
      }
      if (found.token.rstrip) while (end < text.length && space.test(text[end])) end++;
      takeText(start);
      // A token that consists of white space is empty if the token before it has taken that white space.
      if (end > start) sections.push(found.token.id);
      done = end;
    }
    takeText(text.length);
    return sections;
  }
}

export class AddedTokens {
  private readonly before: Finder;
  private readonly after: Finder;

  constructor(
    tokens: readonly AddedToken[],
    private readonly normalize: Normalize,
  ) {
    this.before = new Finder(
      tokens.filter((token) => !isNormalized(token)),
      ({ content }) => content,
    );
    this.after = new Finder(tokens.filter(isNormalized), ({ content }) => normalize(content));
  }

  /** Normalized pieces of a text, and the ids of the added tokens between them. */
  sections(text: string): Section[] {
    return this.before
      .split({ text, first: true })
      .flatMap((section) => (typeof section === 'number' ? [section] : this.after.split(this.normalized(section))));
  }

  /** A piece whose leading white space the normalizer drops no longer begins where the text begins. */
  private normalized({ text, first }: TextPiece): TextPiece {
    const normal = this.normalize(text);
    const dropsStart = first && space.test(text[0] ?? '') && this.normalize(text.replace(leadingSpace, '')) === normal;
    return { text: normal, first: first && !dropsStart };
  }
}
