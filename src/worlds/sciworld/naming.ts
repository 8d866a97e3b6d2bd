/**
 * ScienceWorld under other names: what things are called is exchanged among things of a kind, so that a name has to be read and cannot be
 * remembered. What is measured, joined or mixed goes by any other name; an animal by that of one that lives as long. Where all is exchanged,
 * a box goes by another's colour, a side room by another's name, paints by those that mix alike, and what is warmer than a bound may be told as colder. (Domain
 * randomisation, Tobin et al. https://arxiv.org/abs/1703.06907.) In training eight things may conduct, in the test set others; things
 * are brought to five rooms, and each of some hundred variations has one temperature, which could be remembered with its answer.
 * Knows words and the world's texts; no WASM, no policy.
 */
import { Exchange, exchanged } from '../../envs/exchange.ts';
import { uniformAt } from '../../envs/random-player.ts';
import { boxes, kindsByState, kindsOfThings, namedThings, sideRooms } from './named-things.ts';
import { Repainting } from './repainting.ts';

const MIRRORED_STREAM = 1;
/** Other names are made of these words: "orange wire", "apple tree". */
const compound = '\\w+ (?:box|wire|light bulb|paint|juice|cup|tree|plant)';
const longestFirst = [...namedThings, ...boxes, ...sideRooms].sort((a, b) => b.length - a.length);
const pattern = new RegExp(`\\b(?:(${longestFirst.join('|')})|${compound})\\b`, 'g');

const renamed = (text: string, by: ReadonlyMap<string, string>) =>
  text.replace(pattern, (all, name: string | undefined) => (name && by.get(name)) ?? all);

/** Tasks that name every side room that they ask for; the others know one of them by heart, as where the battery is. */
const namesItsRooms = (task: string) => /^(find-|use-thermometer$)/.test(task);

const sorting =
  /(?<=temperature is above )(-?[\d.]+)( degrees celsius, place it in the )(\w+ box)(.*? temperature is below )-?[\d.]+( degrees celsius, place it in the )(\w+ box)/;
const reading = /(?<=temperature of )(-?\d+)(?= degrees)/g;
/** Bounds as far from zero are asked for below zero and above. */
const furthestMirrored = 50;

const bounded = (degrees: number) => degrees.toFixed(1).replace(/^-(?=0\.0$)/, '');

/** Warm is told as cold and cold as warm, and the boxes change sides: the same box is right. Told so twice, it is the first text. */
const mirrored = (text: string) =>
  text
    .replace(
      sorting,
      (_, bound: string, above: string, box: string, below: string, place: string, other: string) =>
        `${bounded(-bound)}${above}${other}${below}${bounded(-bound)}${place}${box}`,
    )
    .replace(reading, (degrees) => `${0 - Number(degrees)}`);

/** Each half of the tasks that mix paints has colours of its own. */
const mixesPaints = (task: string) => task.startsWith('chemistry-mix-paint');

const mayBeMirrored = (description: string) => {
  const [, bound] = sorting.exec(description) ?? [];
  return bound !== undefined && Math.abs(Number(bound)) <= furthestMirrored;
};

/** A task whose boxes and side rooms are exchanged as well, and warm with cold. `description`: its words, under its own names. */
export interface ToldTask {
  task: string;
  description: string;
}

const kindsOf = ({ task }: ToldTask) => [...kindsByState, boxes, ...(namesItsRooms(task) ? [sideRooms] : [])];

/** Exchanges names both ways. */
export class Naming extends Exchange {
  private readonly mirrored: boolean;
  private readonly repainting: Repainting | null;

  /** The exchange number `seed`; with `all`, of more than the names of things. */
  constructor(seed: number, all: ToldTask | null = null) {
    super(exchanged(all ? kindsOf(all) : kindsOfThings, seed), renamed);
    this.repainting = all && mixesPaints(all.task) ? new Repainting(seed) : null;
    this.mirrored = all !== null && mayBeMirrored(all.description) && uniformAt(seed, MIRRORED_STREAM, 0) < 0.5;
  }

  override show(text: string): string {
    const named = super.show(text);
    const painted = this.repainting?.show(named) ?? named;
    return this.mirrored ? mirrored(painted) : painted;
  }

  override mean(text: string): string {
    const painted = this.mirrored ? mirrored(text) : text;
    return super.mean(this.repainting?.mean(painted) ?? painted);
  }

  /** Every text of a view, and its temperatures. */
  view<T>(value: T): T {
    if (typeof value === 'string') return this.show(value) as T;
    if (Array.isArray(value)) return value.map((each) => this.view(each)) as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.viewed(key, each)])) as T;
  }

  private viewed(key: string, value: unknown): unknown {
    return this.mirrored && key === 'temperature' && typeof value === 'number' ? 0 - value : this.view(value);
  }
}
