/** Range of turns of a long episode that are drawn. Pure. */

/** Largest number of tokens drawn at once; `mostTurns` limits the turns. */
export const mostTokens = 900;
const mostTurns = 40;

/**
 * Turns [from, to) around the chosen one that fit both limits. The chosen turn is always included. `lengths`: tokens of
 * each turn.
 */
export function turnWindow(lengths: readonly number[], chosen: number): { from: number; to: number } {
  let [from, to] = [chosen, chosen + 1];
  let tokens = lengths[chosen] ?? 0;
  for (let grown = true; grown && to - from < mostTurns; ) {
    grown = false;
    if (to < lengths.length && tokens + lengths[to] <= mostTokens) {
      tokens += lengths[to++];
      grown = true;
    }
    if (from > 0 && tokens + lengths[from - 1] <= mostTokens) {
      tokens += lengths[--from];
      grown = true;
    }
  }
  return { from, to };
}
