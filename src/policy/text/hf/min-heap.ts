/** Binary heap of numbers; `pop` returns the least. */
export class MinHeap {
  private readonly values: number[] = [];

  push(value: number): void {
    const { values } = this;
    let at = values.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (values[parent] <= value) break;
      values[at] = values[parent];
      at = parent;
    }
    values[at] = value;
  }

  /** Removes and returns the least value; undefined if the heap is empty. */
  pop(): number | undefined {
    const { values } = this;
    const least = values[0];
    const last = values.pop();
    if (last === undefined || values.length === 0) return least;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= values.length) break;
      if (child + 1 < values.length && values[child + 1] < values[child]) child++;
      if (values[child] >= last) break;
      values[at] = values[child];
      at = child;
    }
    values[at] = last;
    return least;
  }
}
