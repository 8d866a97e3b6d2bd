/**
 * Turns the text of a person or policy into an FTS5 query: every term is quoted, and a document needs to match only one
 * of them. Quotes, `*`, NEAR, OR and column filters in the text therefore never act as FTS5 syntax
 * (sqlite.org/fts5.html#full_text_query_syntax).
 */

/**
 * Maximum number of terms in a query; the rest is ignored. A page pasted as a query would otherwise look up every term
 * of it.
 */
export const maxQueryTerms = 64;

/**
 * Everything but letters, digits, private-use characters and marks, the characters of a token in FTS5's unicode61
 * (sqlite.org/fts5.html#unicode61_tokenizer).
 */
const separators = /[^\p{L}\p{N}\p{Co}\p{M}]+/u;

/** Distinct terms of a query in order, in the form in which the index compares them. */
export function queryTerms(text: string): string[] {
  const plain = text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return [...new Set(plain.split(separators).filter((word) => word))].slice(0, maxQueryTerms);
}

/** FTS5 query that matches documents with any of these terms. Needs at least one. */
export const matchAny = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' OR ');

/**
 * Splits a text at the terms of a query (those of `queryTerms`). Odd elements are the matching terms, even elements the
 * text between them.
 */
export function splitAtTerms(text: string, words: readonly string[]): string[] {
  const wanted = new Set(words);
  const parts = [''];
  for (const piece of text.split(/([\p{L}\p{N}\p{Co}\p{M}]+)/u)) {
    if (wanted.has(queryTerms(piece)[0])) parts.push(piece, '');
    else parts[parts.length - 1] += piece;
  }
  return parts;
}
