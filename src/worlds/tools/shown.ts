/** Values that the texts of an episode have shown, by kind, each once and in the order in which they came. */
import type { Json } from '../../envs/env.ts';

export class Shown<Kind extends string> {
  private readonly kinds = new Map<Kind, Map<string, Json>>();
  /** Number of different values so far. */
  count = 0;

  add(kind: Kind, ...values: readonly Json[]): void {
    const known = this.kinds.get(kind) ?? new Map<string, Json>();
    this.kinds.set(kind, known);
    for (const value of values) {
      const key = JSON.stringify(value);
      if (known.has(key)) continue;
      known.set(key, value);
      this.count++;
    }
  }

  of<T extends Json = Json>(...kinds: readonly Kind[]): T[] {
    return kinds.flatMap((kind) => [...(this.kinds.get(kind)?.values() ?? [])]) as T[];
  }

  has(kind: Kind, value: Json): boolean {
    return this.kinds.get(kind)?.has(JSON.stringify(value)) ?? false;
  }
}
