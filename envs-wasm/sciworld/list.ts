/** Growable lists of objects, and the order of objects in lists. */
import { Obj } from './object';
import { base, ref } from './arena';
import { rank } from './tables';

/** Order of two objects in lists: by raw name, then by uuid. */
export function listOrder(a: Obj, b: Obj): i32 {
  const order = rank(a.name) - rank(b.name);
  return order != 0 ? order : a.uuid - b.uuid;
}

/** A growable list of objects, reused in every call. */
export class List {
  items: usize;
  length: i32 = 0;
  capacity: i32 = 256;

  constructor() {
    this.items = heap.alloc(<usize>this.capacity * 4);
  }

  // @ts-ignore: decorator
  @inline
  push(o: Obj): void {
    if (this.length == this.capacity) this.grow();
    store<i32>(this.items + (this.length++ << 2), ref(o));
  }

  private grow(): void {
    const next = heap.alloc(<usize>this.capacity * 8);
    memory.copy(next, this.items, <usize>this.capacity * 4);
    heap.free(this.items);
    this.items = next;
    this.capacity *= 2;
  }

  // @ts-ignore: decorator
  @inline
  get(i: i32): Obj {
    return changetype<Obj>(base + load<i32>(this.items + (i << 2)));
  }

  put(i: i32, o: Obj): void {
    store<i32>(this.items + (i << 2), ref(o));
  }
}

/** Stack of nested walks: each uses the part above the present `length` and restores the length afterwards. */
export const stack: List = new List();
