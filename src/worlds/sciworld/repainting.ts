/**
 * Colours exchanged so that paints mix as before: the three primary ones any way round, and each mixture as its parts are. Training mixes green
 * and two colours beside it, the test set violet: told so, every mixture is met. Knows words, no world.
 */
import { Exchange, exchanged } from '../../envs/exchange.ts';

const primary = ['red', 'yellow', 'blue'];
const mixtures: { [color: string]: readonly [string, string] } = {
  orange: ['red', 'yellow'],
  green: ['blue', 'yellow'],
  violet: ['red', 'blue'],
};
/** The original's names of what lies between two colours. */
const between = ['green-blue', 'yellow-green', 'red-orange', 'yellow-orange', 'violet-red', 'blue-violet'];

const colors = [...primary, ...Object.keys(mixtures)].join('|');
const said = new RegExp(`\\b(${colors})(?:-(${colors}))?\\b`, 'gi');
const together = /(?<=containing )([\w-]+ paint) and ([\w-]+ paint)/g;

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

function repainted(text: string, by: ReadonlyMap<string, string>): string {
  const other = (color: string) => {
    const found = by.get(color.toLowerCase())!;
    return color === capital(color) ? capital(found) : found;
  };
  return (
    text
      .replace(said, (_, a: string, b: string | undefined) =>
        b === undefined ? other(a) : (betweenOf.get(unordered(other(a), other(b))) ?? `${other(a)}-${other(b)}`),
      )
      // The simulator names what is together in the order of the alphabet.
      .replace(together, (_, a: string, b: string) => [a, b].sort().join(' and '))
  );
}

/** Exchanges colours both ways. */
export class Repainting extends Exchange {
  /** The exchange number `seed`. */
  constructor(seed: number) {
    super(withMixtures(exchanged([primary], seed)), repainted);
  }
}
