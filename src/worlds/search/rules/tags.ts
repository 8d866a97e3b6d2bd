/** Pairs of tags in a reply, found in one pass: an expression would begin anew at every opening tag that nothing closes. */

export interface Pair {
  /** Text between the tags. */
  content: string;
  start: number;
  end: number;
}

/** Pairs of `<name>` and the next `</name>`, from left to right, none inside another. */
export function* pairsOf(text: string, name: string): Generator<Pair> {
  const [open, close] = [`<${name}>`, `</${name}>`];
  for (let at = 0; ; ) {
    const start = text.indexOf(open, at);
    const inner = start + open.length;
    const closing = start < 0 ? -1 : text.indexOf(close, inner);
    if (closing < 0) return;
    at = closing + close.length;
    yield { content: text.slice(inner, closing), start, end: at };
  }
}

/** The text with each pair replaced. */
export function replacePairs(text: string, name: string, by: string): string {
  let out = '';
  let done = 0;
  for (const { start, end } of pairsOf(text, name)) {
    out += text.slice(done, start) + by;
    done = end;
  }
  return out + text.slice(done);
}
