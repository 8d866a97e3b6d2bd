/**
 * Records how an experiment's settings are translated for another trainer. Each setting is either taken (it carries
 * over) or noted with the reason why it does not; settings that no code reads are listed at the end. No setting is
 * dropped silently, even of an algorithm added later.
 */
import type { Json } from '../../envs/env.ts';

/** A setting without an exact counterpart. */
export interface Note {
  path: string;
  value: Json;
  /** Empty: the trainer does not know the setting. */
  why: string;
}

const isObject = (value: unknown): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Collects numbers, texts, nulls and lists by their path. */
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
  /** Differences that do not belong to a single setting. */
  readonly remarks: string[] = [];

  constructor(document: unknown) {
    this.leaves = leavesOf(document as Json, '', new Map());
  }

  has(path: string): boolean {
    return this.leaves.has(path);
  }

  /** Returns a setting and marks it as carried over; `fallback` if the experiment has no such setting. */
  take<T extends Json>(path: string, fallback?: T): T {
    if (!this.leaves.has(path)) return fallback as T;
    this.taken.add(path);
    return this.leaves.get(path) as T;
  }

  /** Marks the whole object or list at a path as carried over. */
  takeAll(path: string): void {
    for (const leaf of this.leaves.keys()) if (leaf === path || leaf.startsWith(`${path}.`)) this.taken.add(leaf);
  }

  /** Notes that a setting does not carry over exactly. */
  note(path: string, why: string): void {
    if (!this.leaves.has(path)) return;
    this.taken.add(path);
    this.noted.push({ path, value: this.leaves.get(path)!, why });
  }

  remark(sentence: string): void {
    if (!this.remarks.includes(sentence)) this.remarks.push(sentence);
  }

  /** All settings that do not carry over exactly, in the document's order. */
  notes(): Note[] {
    const rest = [...this.leaves].filter(([path]) => !this.taken.has(path));
    const all = [...this.noted, ...rest.map(([path, value]) => ({ path, value, why: '' }))];
    const order = [...this.leaves.keys()];
    return all.sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
  }
}
