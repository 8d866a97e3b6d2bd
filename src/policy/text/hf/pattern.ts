/**
 * Patterns of a `tokenizer.json`, as expressions of JavaScript. Hugging Face's tokenizers runs them in Oniguruma; the
 * library @huggingface/tokenizers holds the translation of its syntax.
 */
import { SplitPreTokenizer } from '@huggingface/tokenizers';
import { isSlow } from './slow-pattern.ts';

/** Longest message: it names values of a file that may come from anybody. */
const longestMessage = 300;

/** A part of a `tokenizer.json` that is not read. Names the part. */
export class TokenizerPartError extends Error {
  override name = 'TokenizerPartError';
  constructor(what: string) {
    super(what.length > longestMessage ? `${what.slice(0, longestMessage)}...` : what);
  }
}

/** Entry of a list of kinds; undefined for a name that is not listed, such as that of a method of all objects. */
export const kindNamed = <T>(kinds: { readonly [name: string]: T }, name: unknown): T | undefined =>
  typeof name === 'string' && Object.hasOwn(kinds, name) ? kinds[name] : undefined;

/** JSON of a part: a normalizer, pre-tokenizer, model or decoder. */
export interface Part {
  type?: string;
  [field: string]: unknown;
}

/** White space of Unicode, as Rust and Oniguruma define it. JavaScript's `\s` has U+FEFF and lacks U+0085. */
export const whiteSpace = '\\p{White_Space}';
/** Word characters of Rust's regex crate (https://www.unicode.org/reports/tr18/#Compatibility_Properties). */
export const wordCharacters = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';
/** ASCII's punctuation, which includes the symbols $+<=>^`|~, and that of Unicode. */
export const punctuation = '\\p{P}\\u0021-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007E';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/**
 * Letters of other scripts that fold to an ASCII letter (Unicode's CaseFolding.txt). Oniguruma matches them under
 * `(?i:)`; the library's translation lists only the two ASCII forms.
 */
const foldings: readonly [string, string][] = [
  ['[sS]', '[sS\\u017F]'],
  ['[kK]', '[kK\\u212A]'],
  ['a-zABCDEFGHIJKLMNOPQRSTUVWXYZ', 'a-zA-Z\\u017F\\u212A'],
  ['A-Zabcdefghijklmnopqrstuvwxyz', 'A-Za-z\\u017F\\u212A'],
];
/** Groups that ignore case, and letters of which the translation has one case only. */
const foldingGroup = /\(\?i:[^()]*/g;
const otherLetter = /(?![a-zA-Z])[\p{Lu}\p{Ll}\p{Lt}]/u;

/** Compiles `{String}` or `{Regex}`. Throws TokenizerPartError for a pattern that JavaScript cannot express. */
export function patternOf(pattern: unknown): RegExp {
  const { String: text, Regex: regex } = (pattern ?? {}) as { String?: string; Regex?: string };
  if (text !== undefined) return new RegExp(escaped(text), 'gu');
  if (regex === undefined) throw new TokenizerPartError('a pattern without String or Regex');
  if (isSlow(regex))
    throw new TokenizerPartError(`the pattern ${JSON.stringify(regex)}, which could take time without end`);
  // The translation takes it for a letter; in Oniguruma it is the place where the search begins.
  if (/(?<!\\)(?:\\\\)*\\G/.test(regex))
    throw new TokenizerPartError(`the pattern ${JSON.stringify(regex)}, which has \\G`);
  if (regex.match(foldingGroup)?.some((group) => otherLetter.test(group)))
    throw new TokenizerPartError(
      `the pattern ${JSON.stringify(regex)}, which ignores the case of letters other than a to z`,
    );
  try {
    const split = new SplitPreTokenizer({
      type: 'Split',
      pattern: { Regex: regex },
      behavior: 'Isolated',
      invert: false,
    });
    const { source, flags } = (split as unknown as { pattern: RegExp }).pattern;
    return new RegExp(folded(source, regex), flags);
  } catch (error) {
    throw new TokenizerPartError(`the pattern ${JSON.stringify(regex)} (${(error as Error).message})`);
  }
}

const folded = (source: string, regex: string): string =>
  regex.includes('(?i:') ? foldings.reduce((text, [from, to]) => text.replaceAll(from, to), source) : source;
