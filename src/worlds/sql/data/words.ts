/**
 * Words of made names. A name is a pair of words; pairs of training and of held-out databases are apart, so that no
 * held-out name occurs in training, while every word does.
 */
import type { Random } from '../../../envs/random.ts';

const list = (words: string): readonly string[] => words.split(' ');

const pairs = {
  person: [
    list(
      'Ada Bruno Clara Dario Edith Felix Greta Hugo Irma Jonas Kira Leon Mara Nils Olga Paul Rosa Simon Tessa Ulrich Vera Willem Yara Zeno Anton Bella Cyril Dora Emil Flora Georg Hanna',
    ),
    list(
      'Abel Brandt Cole Dahl Ekman Falk Grant Holm Iversen Jung Keller Lind Moser Noll Orban Palm Quist Rask Stein Thorn Unger Vogel Weiss Young Zander Berg Clark Dietz Engel Frost Gould Hart',
    ),
  ],
  title: [
    list(
      'Amber Bitter Crimson Distant Early Frozen Golden Hidden Inner Jagged Kindred Lasting Misty Narrow Open Pale Quiet Rusty Silver Tender Upper Velvet Wild Yellow Ancient Broken Copper Double Empty Fallen Gentle Hollow',
    ),
    list(
      'Anchor Bridge Candle Desert Echo Forest Garden Horizon Island Journey Kingdom Lantern Mirror Needle Orchard Pearl Quarry River Shadow Tower Umbrella Valley Window Yard Arrow Barrel Circle Door Engine Feather Gate Harbour',
    ),
  ],
  place: [
    list(
      'Ash Birch Clay Drift Elm Fern Glen Hazel Iron Juniper Kelp Lime Maple North Oak Pine Quartz Reed Stone Thistle',
    ),
    list(
      'Bank Corner Court Field Ford Green Hall Hill House Lane Mill Park Point Row Side Square Street View Walk Wharf',
    ),
  ],
} as const;

/** A name of two words. */
export function drawName(random: Random, of: keyof typeof pairs, heldOut: boolean): string {
  const [first, last] = pairs[of];
  const k = random.below(first.length);
  // One in four second words belongs, for a given first word, to held-out names.
  const own = last.filter((_, j) => ((j + k) % 4 === 0) === heldOut);
  return `${first[k]} ${random.pick(own)}`;
}

export const cities = 'Oslo, Lima, Cairo, Delhi, Quito, Turin, Basel, Perth, Kyoto, Dakar, Porto, Riga';
export const countries = 'Norway, Peru, Egypt, India, Italy, Japan, Senegal, Latvia, Chile, Canada';

/** Every word of a name. */
export const nameWords = (): string[] => Object.values(pairs).flatMap((lists) => lists.flat());
