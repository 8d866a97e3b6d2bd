/**
 * The settings of an experiment while they are put into another trainer's words. Each is taken, which says that it arrives there, or
 * noted with why it does not; what nobody asked for is listed at the end. So nothing is dropped in silence, also of an algorithm
 * that is added later.
 */
import type { Json } from '../../envs/env.ts';

/** A setting that has no counterpart, or only a near one. */
export interface Note {
  path: string;
  value: Json;
  /** Empty: it is not known there. */
  why: string;
}

const isObject = (value: unknown): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Numbers, texts, nulls and lists by their path. */
function leavesOf(value: Json, path: string, into: Map<string, Json>): Map<string, Json> {
  if (isObject(value))
    for (const [key, each] of Object.entries(value)) leavesOf(each, path ? `${path}.${key}` : key, into);
  else into.set(path, value);
  return into;
}

export class Ledger {
  private readonly leaves: Map<string, Json>;
  private readonly taken = new Set<string>();
  private readonly noted: Note[] = [];
  /** What is not the same there, beside single settings. */
  readonly remarks: string[] = [];

  constructor(document: unknown) {
    this.leaves = leavesOf(document as Json, '', new Map());
  }

  has(path: string): boolean {
    return this.leaves.has(path);
  }

  /** The value of a setting that arrives; `fallback` where the experiment has no such setting. */
  take<T extends Json>(path: string, fallback?: T): T {
    if (!this.leaves.has(path)) return fallback as T;
    this.taken.add(path);
    return this.leaves.get(path) as T;
  }

  /** The whole object or list at a path. */
  takeAll(path: string): void {
    for (const leaf of this.leaves.keys()) if (leaf === path || leaf.startsWith(`${path}.`)) this.taken.add(leaf);
  }

  /** A setting that does not arrive, or not as it is. */
  note(path: string, why: string): void {
    if (!this.leaves.has(path)) return;
    this.taken.add(path);
    this.noted.push({ path, value: this.leaves.get(path)!, why });
  }

  remark(sentence: string): void {
    if (!this.remarks.includes(sentence)) this.remarks.push(sentence);
  }

  /** Everything that does not arrive as it is, in the order of the document. */
  notes(): Note[] {
    const rest = [...this.leaves].filter(([path]) => !this.taken.has(path));
    const all = [...this.noted, ...rest.map(([path, value]) => ({ path, value, why: '' }))];
    const order = [...this.leaves.keys()];
    return all.sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
  }
}
