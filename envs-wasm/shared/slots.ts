/**
 * A table of worlds of equal size, indexed by slot. It doubles and never shrinks. A slot without a world is all zeros.
 * Independent of any world.
 */
export class Slots {
  private table: usize = 0;
  private size: i32 = 0;

  constructor(private bytes: i32) {}

  at(slot: i32): usize { return this.table + <usize>slot * <usize>this.bytes; }

  /** True if the slot is within the table. */
  has(slot: i32): bool { return slot >= 0 && slot < this.size; }

  /** Makes room for slots 0 to count - 1. Existing slots keep their contents. */
  ensure(count: i32): void {
    if (count <= this.size) return;
    let size = max(this.size, 64);
    while (size < count) size *= 2;
    const used = <usize>this.size * <usize>this.bytes;
    const bigger = heap.alloc(<usize>size * <usize>this.bytes);
    memory.copy(bigger, this.table, used);
    memory.fill(bigger + used, 0, <usize>size * <usize>this.bytes - used);
    this.table = bigger;
    this.size = size;
  }
}
