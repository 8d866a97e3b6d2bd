/**
 * What a person or a policy types, as a query that FTS5 takes: every word quoted, any of them may match. So nothing typed is ever
 * read as FTS5's own syntax (sqlite.org/fts5.html#full_text_query_syntax): quotes, `*`, NEAR, OR and column filters are words or
 * nothing.
 */

/** More words than this are left out: a page pasted as a query would otherwise ask the index for every word of it. */
export const mostQueryWords = 64;

/** Letters, digits and private-use characters: what FTS5's unicode61 makes tokens of (sqlite.org/fts5.html#unicode61_tokenizer). */
const separators = /[^\p{L}\p{N}\p{Co}\p{M}]+/u;

/** The words of a query as the index compares them, each once, in order. */
export function queryWords(text: string): string[] {
  const plain = text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return [...new Set(plain.split(separators).filter((word) => word))].slice(0, mostQueryWords);
}

/** Any of these words, at least one, in FTS5's syntax. */
export const matchAny = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' OR ');

/** A text cut at the words that a query looked for (as `queryWords` gives them): every other part is one of them, the first is not. */
export function markWords(text: string, words: readonly string[]): string[] {
  const wanted = new Set(words);
  const parts = [''];
  for (const piece of text.split(/([\p{L}\p{N}\p{Co}\p{M}]+)/u)) {
    if (wanted.has(queryWords(piece)[0])) parts.push(piece, '');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}
