/**
 * Splits a text into tokens, for the check that a reference of a single character is a token of the answer. The
 * original uses NLTK 3.8's word_tokenize: punkt's sentences, then the rules of the Penn Treebank (github.com/nltk/nltk,
 * Apache-2.0), which split off only the last full stop of a sentence. A rule of thumb replaces punkt's learned
 * splitter: a token that ends in a full stop ends a sentence unless the next one begins with a lower-case letter. For
 * answers, not for whole pages.
 */
import { splitWords } from '../../python/text.ts';

const endsInStop = /\.[\])}>"'”’»]*$/u;
const endsInMark = /[?!][\])}>"'”’»]*$/u;

/** Sentences of a text. Runs of white space become single spaces, which does not affect tokenization. */
function sentences(text: string): string[] {
  const found: string[] = [];
  let open: string[] = [];
  const words = splitWords(text);
  for (const [k, word] of words.entries()) {
    open.push(word);
    const next = words[k + 1];
    const ends = endsInMark.test(word) || (endsInStop.test(word) && next !== undefined && !/^\p{Ll}/u.test(next));
    if (!ends && next !== undefined) continue;
    found.push(open.join(' '));
    open = [];
  }
  return found;
}

type Rule = readonly [RegExp, string];
const before: readonly Rule[] = [
  // Opening quotes.
  [/([«“‘„]|`+)/gu, ' $1 '],
  [/^"/gu, '``'],
  [/(``)/gu, ' $1 '],
  [/([ ([{<])("|'{2})/gu, '$1 `` '],
  [/(')(?!re|ve|ll|m|t|s|d|n)([\p{L}\p{N}_])(?![\p{L}\p{N}_])/giu, '$1 $2'],
  // Punctuation.
  [/([^.])(\.)([\])}>"'»”’ ]*)\s*$/gu, '$1 $2 $3 '],
  [/([:,])([^\p{Nd}])/gu, ' $1 $2'],
  [/([:,])$/gu, ' $1 '],
  [/\.{2,}/gu, ' $& '],
  [/[;@#$%&]/gu, ' $& '],
  [/[?!]/gu, ' $& '],
  [/([^'])' /gu, "$1 ' "],
  [/[*]/gu, ' $& '],
  [/[\][(){}<>]/gu, ' $& '],
  [/--/gu, ' -- '],
];
const after: readonly Rule[] = [
  // Closing quotes and contractions.
  [/([»”’])/gu, ' $1 '],
  [/''/gu, " '' "],
  [/"/gu, " '' "],
  [/([^' ])('[sS]|'[mM]|'[dD]|') /gu, '$1 $2 '],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /gu, '$1 $2 '],
  [/\b(can)(not)\b/giu, ' $1 $2 '],
  [/\b(d)('ye)\b/giu, ' $1 $2 '],
  [/\b(gim|lem)(me)\b/giu, ' $1 $2 '],
  [/\b(gon)(na)\b/giu, ' $1 $2 '],
  [/\b(got)(ta)\b/giu, ' $1 $2 '],
  [/\b(more)('n)\b/giu, ' $1 $2 '],
  [/\b(wan)(na)\s/giu, ' $1 $2 '],
  [/ ('t)(is|was)\b/giu, ' $1 $2 '],
];
const apply = (rules: readonly Rule[], text: string) =>
  rules.reduce((t, [pattern, by]) => t.replace(pattern, by), text);

function sentenceTokens(sentence: string): string[] {
  return splitWords(apply(after, ` ${apply(before, sentence)} `));
}

/** Tokens of a text, in order. */
export function tokens(text: string): string[] {
  return sentences(text).flatMap(sentenceTokens);
}
