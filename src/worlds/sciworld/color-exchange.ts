/**
 * Exchange of colours under which paints mix as before: the three primary colours are permuted, and each mixture
 * follows its parts. Training mixes only green and the two colours beside it, the test set violet; with the exchange
 * training meets every mixture. Independent of the simulator.
 */
import { Exchange, permutedWords } from '../../envs/exchange.ts';

const primary = ['red', 'yellow', 'blue'];
const mixtures: { [color: string]: readonly [string, string] } = {
  orange: ['red', 'yellow'],
  green: ['blue', 'yellow'],
  violet: ['red', 'blue'],
};
/** The original's names for the colours between a primary colour and a mixture. */
const between = ['green-blue', 'yellow-green', 'red-orange', 'yellow-orange', 'violet-red', 'blue-violet'];

const colors = [...primary, ...Object.keys(mixtures)].join('|');
const colorPattern = new RegExp(`\\b(${colors})(?:-(${colors}))?\\b`, 'gi');
const mixturePattern = /(?<=containing )([\w-]+ paint) and ([\w-]+ paint)/g;

const unordered = (a: string, b: string) => [a, b].sort().join();
const mixtureOf = new Map(Object.entries(mixtures).map(([color, [a, b]]) => [unordered(a, b), color]));
const betweenOf = new Map(between.map((name) => [unordered(...(name.split('-') as [string, string])), name]));

function withMixtures(others: ReadonlyMap<string, string>): Map<string, string> {
  const other = (color: string) => others.get(color)!;
  return new Map([
    ...others,
    ...Object.entries(mixtures).map(([color, [a, b]]): [string, string] => [
      color,
      mixtureOf.get(unordered(other(a), other(b)))!,
    ]),
  ]);
}

const capital = (word: string) => word[0].toUpperCase() + word.slice(1);

function replaceColors(text: string, by: ReadonlyMap<string, string>): string {
  const other = (color: string) => {
    const found = by.get(color.toLowerCase())!;
    return color === capital(color) ? capital(found) : found;
  };
  return (
    text
      .replace(colorPattern, (_, a: string, b: string | undefined) =>
        b === undefined ? other(a) : (betweenOf.get(unordered(other(a), other(b))) ?? `${other(a)}-${other(b)}`),
      )
      // The simulator lists the contents of a cup in alphabetical order.
      .replace(mixturePattern, (_, a: string, b: string) => [a, b].sort().join(' and '))
  );
}

/** Two-way exchange of colours: into the other colours, and back. */
export class ColorExchange extends Exchange {
  /** Makes exchange number `seed`. */
  constructor(seed: number) {
    super(withMixtures(permutedWords([primary], seed)), replaceColors);
  }
}
