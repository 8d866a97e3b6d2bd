/** Lists of item numbers as a person types them. */

const MOST_ITEMS = 1_000_000;

/** Items of a list such as `0-99, 120`, each once, in the order named; null if the text is not such a list. */
export function itemsIn(text: string): number[] | null {
  const items = new Set<number>();
  for (const part of text.split(',')) {
    const found = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(part);
    if (!found) return null;
    const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])];
    if (last < first || last - first >= MOST_ITEMS) return null;
    for (let item = first; item <= last; item++) items.add(item);
  }
  return items.size <= MOST_ITEMS ? [...items] : null;
}
