/**
 * Added tokens of a `tokenizer.json`: texts that become one token wherever they stand, found before (normalized: false)
 * or after the normalizer. Follows `tokenizer/added_vocabulary.rs` of Hugging Face's tokenizers: the leftmost match, the
 * longest of those; `single_word` passes over a match beside a word character, `lstrip` and `rstrip` take the white
 * space beside it.
 */
import { LongestMatch } from './longest-match.ts';
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

/** True if the match may stand there. */
function mayStand({ single_word }: AddedToken, text: string, start: number, end: number): boolean {
  if (!single_word) return true;
  // Two UTF-16 units hold the nearest character.
  return !wordBefore.test(text.slice(Math.max(0, start - 2), start)) && !wordAfter.test(text.slice(end, end + 2));
}

/** Finds added tokens in a text. */
class Finder {
  /** The first token of each text. */
  private readonly tokens = new Map<string, AddedToken>();
  private readonly texts: LongestMatch;

  constructor(tokens: readonly AddedToken[], textOf: (token: AddedToken) => string) {
    for (const token of tokens) {
      if (token.content === '') continue;
      const text = textOf(token);
      if (text === '')
        throw new TokenizerPartError(`the added token "${token.content}", of which the normalizer leaves nothing`);
      if (!this.tokens.has(text)) this.tokens.set(text, token);
    }
    this.texts = new LongestMatch(this.tokens.keys());
  }

  /** Divides a piece at the added tokens. */
  split(piece: TextPiece): Section[] {
    const { text } = piece;
    if (text === '') return [];
    if (this.texts.isEmpty) return [piece];
    const sections: Section[] = [];
    let done = 0;
    const takeText = (end: number) => {
      if (done < end) sections.push({ text: text.slice(done, end), first: piece.first && done === 0 });
    };
    for (let at = 0; at < text.length; ) {
      const found = this.texts.at(text, at);
      if (!found) {
        at++;
        continue;
      }
      const token = this.tokens.get(found)!;
      let [start, end] = [at, at + found.length];
      at = end;
      if (!mayStand(token, text, start, end)) continue;
      if (token.lstrip) {
        while (start > 0 && space.test(text[start - 1])) start--;
        start = Math.max(start, done);
      }
      if (token.rstrip) while (end < text.length && space.test(text[end])) end++;
      takeText(start);
      // A token that consists of white space is empty if the token before it has taken that white space.
      if (end > start) sections.push(token.id);
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

  /** Pieces of a text as it is, and the ids of the added tokens between them that are found before the normalizer. */
  plainSections(text: string): Section[] {
    return this.before.split({ text, first: true });
  }

  /** Normalized pieces of a text, and the ids of the added tokens between them. */
  sections(text: string): Section[] {
    return this.plainSections(text).flatMap((section) =>
      typeof section === 'number' ? [section] : this.after.split(this.normalized(section)),
    );
  }

  /** A piece whose first character the normalizer drops no longer begins where the text begins. */
  private normalized({ text, first }: TextPiece): TextPiece {
    const normal = this.normalize(text);
    if (!first || normal[0] === text[0]) return { text: normal, first };
    const start = String.fromCodePoint(text.codePointAt(0) ?? 0);
    const dropsStart = this.normalize(start) === '' && this.normalize(text.slice(start.length)) === normal;
    return { text: normal, first: !dropsStart };
  }
}
