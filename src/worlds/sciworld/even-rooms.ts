/**
 * Draws rooms evenly. Of the 270 training variations of use-thermometer, 13 begin in the bathroom, so that a policy
 * hardly learns its door; of the held-out ones most do.
 */

const rooms = /\b(?:kitchen|bathroom|living room|bedroom|art studio|workshop|greenhouse|foundry)\b/g;
/** Most that one variation is repeated. */
const mostRepeats = 20;

/**
 * Repeats variations of a task until the rooms that their texts name, in this order, come up about equally often.
 * `textOf`: the description of a variation.
 */
export function evenRooms(variations: readonly number[], textOf: (variation: number) => string): number[] {
  const groups = new Map<string, number[]>();
  for (const variation of variations) {
    const named = textOf(variation).match(rooms)?.join() ?? '';
    groups.set(named, [...(groups.get(named) ?? []), variation]);
  }
  const largest = Math.max(...[...groups.values()].map(({ length }) => length));
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.min(mostRepeats, Math.round(largest / group.length)) }, () => group).flat(),
  );
}
