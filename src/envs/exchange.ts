/** Exchanges words of a world for others by a seed, so that the same world is played under other names. */
import { uniformAt } from './random-player.ts';

/** Replacement of each word: one permutation of each kind (Fisher and Yates, keyed by the seed). */
export function permutedWords(kinds: readonly (readonly string[])[], seed: number): Map<string, string> {
  const others = new Map<string, string>();
  for (const kind of kinds) {
    const order = [...kind];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(uniformAt(seed, 0, i) * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    kind.forEach((word, i) => {
      others.set(word, order[i]);
    });
  }
  return others;
}

/** Replaces words in both directions. */
export class Exchange {
  private readonly meant: ReadonlyMap<string, string>;

  /** `shown`: the replacement of each word. `replaced`: replaces the words of a text by a map. */
  constructor(
    private readonly shown: ReadonlyMap<string, string>,
    private readonly replaced: (text: string, by: ReadonlyMap<string, string>) => string,
  ) {
    this.meant = new Map([...this.shown].map(([word, other]) => [other, word]));
  }

  /** The world's text, as the agent reads it. */
  toShown(text: string): string {
    return this.replaced(text, this.shown);
  }

  /** The agent's text, as the world reads it. */
  toOriginal(text: string): string {
    return this.replaced(text, this.meant);
  }
}
