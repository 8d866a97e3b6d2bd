/**
 * Proves answers by following a question's relations through a universe's facts, along every branch. It shares only the
 * names of relations with the reader, which uses the texts.
 */
import type { Universe } from './universe.ts';

/** A question as a chain of relations from an entity. */
export interface Chain {
  start: number;
  relations: readonly string[];
}

/** All objects at the end of the chain, as text, in the order of the facts; empty if there are none. */
export function solve({ entities, facts }: Universe, { start, relations }: Chain): string[] {
  let reached: (number | string)[] = [start];
  for (const id of relations) {
    const next = new Set<number | string>();
    for (const at of reached) {
      if (typeof at === 'string') continue;
      for (const { relation, object } of facts[at]) if (relation.id === id) next.add(object);
    }
    reached = [...next];
  }
  return reached.map((at) => (typeof at === 'number' ? entities[at].name : at));
}
