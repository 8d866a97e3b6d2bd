/**
 * Blocks of memory in doubling sizes, which go back to free lists: over a bump allocator that frees nothing, what a module
 * holds stays at what its largest moment needed. Class c has 64 << c bytes.
 */
const CLASSES: i32 = 16;
const free = new StaticArray<usize>(CLASSES);

export function blockBytes(sizeClass: i32): i32 { return 64 << sizeClass; }

/** The smallest class that holds `bytes`. */
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
