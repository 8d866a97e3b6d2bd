/**
 * BM25 by its formula, over documents in memory, as the reference for the ranking of the index. Written from
 * sqlite.org/fts5.html#the_bm25_function.
 */

interface Text {
  title: string;
  text: string;
}

const words = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/**
 * Scores of every document that contains a word of the query, best first, ties in order. `weight`: how many times the
 * title counts. `leavesOut`: if true, words that more than half of the documents contain count only if all words are of
 * that kind.
 */
export function rankByBm25(
  documents: readonly Text[],
  weight: number,
  leavesOut = false,
): (query: string) => { index: number; score: number }[] {
  const k1 = 1.2;
  const b = 0.75;
  const split = documents.map(({ title, text }) => ({ title: words(title), text: words(text) }));
  const lengths = split.map(({ title, text }) => title.length + text.length);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / documents.length;
  /** Documents that contain a word, with the number of occurrences, by word. */
  const holders = new Map<string, Map<number, number>>();
  const add = (word: string, index: number, times: number) => {
    const held = holders.get(word) ?? new Map<number, number>();
    holders.set(word, held.set(index, (held.get(index) ?? 0) + times));
  };
  for (const [index, { title, text }] of split.entries()) {
    for (const word of title) add(word, index, weight);
    for (const word of text) add(word, index, 1);
  }
  return (query) => {
    const scores = new Map<number, number>();
    const queryTerms = [...new Set(words(query))];
    const telling = queryTerms.filter((word) => 2 * (holders.get(word)?.size ?? 0) <= documents.length);
    for (const word of leavesOut && telling.length ? telling : queryTerms) {
      const found = holders.get(word) ?? new Map<number, number>();
      const rarity = Math.log((documents.length - found.size + 0.5) / (found.size + 0.5));
      const idf = rarity > 0 ? rarity : 1e-6;
      for (const [index, frequency] of found) {
        const score = (idf * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * lengths[index]) / mean));
        scores.set(index, (scores.get(index) ?? 0) + score);
      }
    }
    return [...scores]
      .map(([index, score]) => ({ index, score }))
      .sort((x, y) => y.score - x.score || x.index - y.index);
  };
}
