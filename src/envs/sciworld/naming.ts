/**
 * ScienceWorld under other names: what things are called is exchanged among things of a kind, so that a name has to be read and cannot be
 * remembered. What is measured, joined or mixed goes by any other name; an animal by that of one that lives as long. (Domain
 * randomisation, Tobin et al. https://arxiv.org/abs/1703.06907.) In training eight things may conduct, in the test set others.
 * Knows words and the world's texts; no WASM, no policy.
 */
import { Exchange } from '../exchange.ts';
import { kindsOfThings, namedThings } from './named-things.ts';

/** Other names are made of these words: "orange wire", "apple tree". */
const compound = '\\w+ (?:box|wire|light bulb|paint|juice|cup|tree|plant)';
const longestFirst = [...namedThings].sort((a, b) => b.length - a.length);
const pattern = new RegExp(`\\b(?:(${longestFirst.join('|')})|${compound})\\b`, 'g');

const renamed = (text: string, by: ReadonlyMap<string, string>) =>
  text.replace(pattern, (all, name: string | undefined) => (name && by.get(name)) ?? all);

/** Exchanges names both ways. */
export class Naming extends Exchange {
  /** The exchange number `seed`. */
  constructor(seed: number) {
    super(kindsOfThings, seed, renamed);
  }

  /** Every text of a view. */
  view<T>(value: T): T {
    if (typeof value === 'string') return this.show(value) as T;
    if (Array.isArray(value)) return value.map((each) => this.view(each)) as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.view(each)])) as T;
  }
}
