/** Articles and blanks in phrases and in the parser's input. */
import { out } from './text';

/** Removes the tokens "a", "an" and "the" and extra spaces, from `start` to the end of `out`. */
export function dropArticles(start: i32): void {
  let read = start;
  let write = start;
  const last = out.length;
  const at = out.start;
  while (read < last) {
    while (read < last && isSpace(load<u8>(at + read))) read++;
    let stop = read;
    while (stop < last && !isSpace(load<u8>(at + stop))) stop++;
    const n = stop - read;
    if (n == 0) break;
    if (!isArticle(at + read, n)) {
      if (write > start) store<u8>(at + write++, 32);
      memory.copy(at + write, at + read, n);
      write += n;
    }
    read = stop;
  }
  out.length = write;
}

// @ts-ignore: decorator
@inline
function isSpace(c: i32): bool {
  return c == 32 || (c >= 9 && c <= 13);
}

function isArticle(at: usize, n: i32): bool {
  const c = load<u8>(at);
  if (n == 1) return c == 97;
  if (n == 2) return c == 97 && load<u8>(at + 1) == 110;
  return n == 3 && c == 116 && load<u8>(at + 1) == 104 && load<u8>(at + 2) == 101;
}

export function blank(from: usize, length: i32): bool {
  for (let i = 0; i < length; i++) if (load<u8>(from + i) > 32) return false;
  return true;
}
