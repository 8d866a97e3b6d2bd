/**
 * Memory blocks in doubling sizes, recycled through free lists. The bump allocator below frees nothing, so the memory
 * of a module never exceeds its peak use. A block of class c has 64 << c bytes.
 */
const CLASSES: i32 = 16;
const free = new StaticArray<usize>(CLASSES);

export function blockBytes(sizeClass: i32): i32 { return 64 << sizeClass; }

/** Smallest class with at least `bytes` bytes. */
export function blockClass(bytes: i32): i32 {
  let sizeClass = 0;
  while (blockBytes(sizeClass) < bytes) sizeClass++;
  return sizeClass;
}

export function takeBlock(sizeClass: i32): usize {
  const block = free[sizeClass];
  if (block == 0) return heap.alloc(blockBytes(sizeClass));
  free[sizeClass] = load<usize>(block);
  return block;
}

export function giveBlock(block: usize, sizeClass: i32): void {
  store<usize>(block, free[sizeClass]);
  free[sizeClass] = block;
}
