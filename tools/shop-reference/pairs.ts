/** Random pairs of texts for the comparison of `token_set_ratio`: words of a shop, letters of several scripts, long texts. */
import { Random } from '../../src/envs/random.ts';

const words =
  'red blue dark light green stripe large x-large xx-large small medium women men 5x-large 24 inch pack of 2 machine wash hand long sleeve cotton spandex non slip anti-slip water resistant waterproof 8.5 wide 10m usb port high quality easy clean size color style natural ingredients'.split(
    ' ',
  );
const odd = [
  'Grüße',
  'naïve',
  'Ωmega',
  'ΟΔΟΣ',
  '北京',
  'a_b',
  'x²',
  '½',
  'ﬁne',
  'İstanbul',
  '𝔘nicode',
  'e\u0301t',
  '١٢',
  '—',
  '|',
  "it's",
  '5"',
  '',
  ' ',
  '\t',
];

const letters = (random: Random, most: number) =>
  Array.from({ length: random.between(1, most) }, () => random.pick([...'aabcde fgx'])).join('');

function textOf(random: Random): string {
  const kind = random.below(10);
  if (kind === 0) return letters(random, 40);
  const count = kind === 1 ? random.between(30, 70) : random.between(0, 7);
  const picked = Array.from({ length: count }, () => random.pick(random.chance(8) ? odd : words));
  return picked.join(random.pick([' ', ' ', ' ', ' | ', ', ', '-']));
}

/** A text near another: some words changed, left out, added or in another order, or a letter changed. */
function near(random: Random, text: string): string {
  const parts = text.split(' ').filter(() => !random.chance(20));
  if (random.chance(40)) random.shuffle(parts);
  if (random.chance(40)) parts.push(random.pick(words));
  const letters = [...parts.join(' ')];
  if (letters.length && random.chance(50)) letters[random.below(letters.length)] = random.pick([...'abcxyz19 ']);
  return letters.join('');
}

export function randomPairs(count: number, seed: number): [string, string][] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const text = textOf(random);
    return [text, random.chance(60) ? near(random, text) : textOf(random)];
  });
}
