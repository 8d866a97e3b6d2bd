/**
 * The uniform random player: the baseline "chance". Its choice depends only on (seed, episode, turn), so that a batch
 * may be played in any order and replayed exactly.
 */

/** A 32-bit mixer (the finaliser of MurmurHash3): every input bit reaches every output bit. */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A number in [0, 1) keyed by (seed, episode, turn). */
export function uniformAt(seed: number, episode: number, turn: number): number {
  let h = mix(seed ^ 0x9e3779b9);
  h = mix(h ^ episode);
  h = mix((h + 0x7f4a7c15) ^ turn);
  const low = mix(h ^ 0x94d049bb) >>> 6;
  return (h * 0x4000000 + low) / 0x400000000000000;
}

/** One of the valid actions, each as likely as any other. */
export function randomAction(validActions: readonly string[], seed: number, episode: number, turn: number): string {
  if (validActions.length === 0)
    throw new RangeError('The random player needs at least one valid action to choose from.');
  return validActions[Math.floor(uniformAt(seed, episode, turn) * validActions.length)];
}
