/**
 * Draws that the families share. Names are pairs of words; the pairs of training and of held-out tasks are apart, so that
 * no held-out name occurs in training, while every word does.
 */
import type { Random } from '../../envs/random.ts';
import type { Draw } from './family.ts';

/** True if the pair of words belongs to held-out tasks: one pair in four. */
const isHeldOutPair = (first: number, last: number) => (first + 3 * last) % 4 === 0;

/** Different pairs of words of one split, in random order. */
export function drawPairs(
  first: readonly string[],
  last: readonly string[],
  count: number,
  { random, heldOut }: Pick<Draw, 'random' | 'heldOut'>,
): string[] {
  const pairs = first.flatMap((a, i) => last.flatMap((b, k) => (isHeldOutPair(i, k) === heldOut ? [`${a} ${b}`] : [])));
  return random.shuffle(pairs).slice(0, count);
}

/** Different numbers from `least` to `most`, in random order. */
export const distinct = (least: number, most: number, count: number, random: Random): number[] =>
  random.shuffle(Array.from({ length: most - least + 1 }, (_, k) => least + k)).slice(0, count);

/** Different members of a list, in random order. */
export const several = <T>(list: readonly T[], count: number, random: Random): T[] =>
  random.shuffle([...list]).slice(0, count);
