/**
 * Proves answers: walks a question's relations over a universe's facts, every branch of them. Works on relations alone; the
 * reader, which plays by the text, shares nothing with it but the names of the relations.
 */
import type { Universe } from './universe.ts';

/** A question as relations: from an entity, one relation after another. */
export interface Chain {
  start: number;
  relations: readonly string[];
}

/** Every object that the chain leads to, as text, in the order of the facts; empty: it leads nowhere. */
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
