/**
 * The longest of many texts that stands at a place of another. Searches by halves: some tokenizers have 100,000 tokens
 * that begin alike, and maps by character take seconds to build for whole words.
 */
export class LongestMatch {
  private readonly texts: readonly string[];
  /** For each text, the index of the longest other with which it begins; -1: there is none. */
  private readonly shorter: Int32Array;
  private readonly firsts: ReadonlySet<string>;

  constructor(texts: Iterable<string>) {
    this.texts = [...new Set(texts)].sort();
    this.shorter = new Int32Array(this.texts.length);
    this.firsts = new Set(this.texts.map((text) => text[0]));
    // Texts with which the current one begins stand before it, nested.
    const open: number[] = [];
    for (const [k, text] of this.texts.entries()) {
      while (open.length && !text.startsWith(this.texts[open.at(-1)!])) open.pop();
      this.shorter[k] = open.at(-1) ?? -1;
      open.push(k);
    }
  }

  get isEmpty(): boolean {
    return this.texts.length === 0;
  }

  /** The longest text at a place; none of no characters. */
  at(text: string, place: number): string | undefined {
    if (!this.firsts.has(text[place])) return undefined;
    const rest = text.slice(place);
    let [low, high] = [0, this.texts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.texts[middle] <= rest) low = middle + 1;
      else high = middle;
    }
    // What stands at the place is the last text before the rest, or one with which that begins.
    let k = low - 1;
    const common = k < 0 ? 0 : commonLength(this.texts[k], rest);
    while (k >= 0 && this.texts[k].length > common) k = this.shorter[k];
    return this.texts[k] || undefined;
  }
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}
