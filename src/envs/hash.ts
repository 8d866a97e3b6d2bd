/** Hashes for names, seeds and splits. They are stored or decide tasks, so their values never change. */

/** FNV-1a hash of small whole numbers, such as the bytes of a text: 32 bits, unsigned. */
export function fnv1a(units: Iterable<number>): number {
  let hash = 0x811c9dc5;
  for (const unit of units) hash = Math.imul(hash ^ unit, 0x01000193);
  return hash >>> 0;
}

/** FNV-1a hash of the UTF-16 units of a text. */
export const hashText = (text: string): number =>
  fnv1a(Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)));
