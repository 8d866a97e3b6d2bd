/**
 * ScienceWorld under other names: names are exchanged within a kind of thing, so that they must be read and cannot be
 * memorised. Substances and objects are exchanged freely, animals with others of a similar lifespan. In an exchange of
 * everything, boxes swap colours, side rooms swap names, paints swap with others that mix in the same way, and "above a
 * temperature" may become "below". (Domain randomisation, Tobin et al. https://arxiv.org/abs/1703.06907.) Without the
 * exchange a policy could memorise the training set, which has eight possible conductors (the test set has others),
 * five target rooms, and one temperature for each of several hundred variations.
 *
 * Independent of the WASM instance and of policies.
 */
import { Exchange, permutedWords } from '../../envs/exchange.ts';
import { uniformAt } from '../../envs/random-player.ts';
import { ColorExchange } from './color-exchange.ts';
import { boxes, kindsByState, kindsOfThings, namedThings, sideRooms } from './named-things.ts';

const MIRRORED_STREAM = 1;
/** Names that contain another name and are not exchanged: "orange wire", "apple tree". */
const compound = '\\w+ (?:box|wire|light bulb|paint|juice|cup|tree|plant)';
const longestFirst = [...namedThings, ...boxes, ...sideRooms].sort((a, b) => b.length - a.length);
const pattern = new RegExp(`\\b(?:(${longestFirst.join('|')})|${compound})\\b`, 'g');

const replaceNames = (text: string, by: ReadonlyMap<string, string>) =>
  text.replace(pattern, (all, name: string | undefined) => (name && by.get(name)) ?? all);

/**
 * True if the task's description names every side room that the task needs. The other tasks require knowledge of a
 * room, such as where the battery is.
 */
const namesItsRooms = (task: string) => /^(find-|use-thermometer$)/.test(task);

const sorting =
  /(?<=temperature is above )(-?[\d.]+)( degrees celsius, place it in the )(\w+ box)(.*? temperature is below )-?[\d.]+( degrees celsius, place it in the )(\w+ box)/;
const reading = /(?<=temperature of )(-?\d+)(?= degrees)/g;
/** Largest absolute bound that may be mirrored: within it, tasks have bounds both below and above zero. */
const maxMirroredBound = 50;

const bounded = (degrees: number) => degrees.toFixed(1).replace(/^-(?=0\.0$)/, '');

/**
 * Negates temperatures and swaps the two boxes, so that the right box stays right. Applied twice, it returns the
 * original text.
 */
const mirrored = (text: string) =>
  text
    .replace(
      sorting,
      (_, bound: string, above: string, box: string, below: string, place: string, other: string) =>
        `${bounded(-bound)}${above}${other}${below}${bounded(-bound)}${place}${box}`,
    )
    .replace(reading, (degrees) => `${0 - Number(degrees)}`);

/** True for tasks that mix paints; their training and test splits use different colours. */
const mixesPaints = (task: string) => task.startsWith('chemistry-mix-paint');

const mayBeMirrored = (description: string) => {
  const [, bound] = sorting.exec(description) ?? [];
  return bound !== undefined && Math.abs(Number(bound)) <= maxMirroredBound;
};

/**
 * A task in which boxes, side rooms and temperatures are exchanged as well. `description`: its text, under its own
 * names.
 */
export interface DescribedTask {
  task: string;
  description: string;
}

const kindsOf = ({ task }: DescribedTask) => [...kindsByState, boxes, ...(namesItsRooms(task) ? [sideRooms] : [])];

/** Two-way exchange of names: into the other names, and back. */
export class NameExchange extends Exchange {
  private readonly mirrored: boolean;
  private readonly colors: ColorExchange | null;

  /** Makes exchange number `seed`. With `all`, it includes more than the names of things. */
  constructor(seed: number, all: DescribedTask | null = null) {
    super(permutedWords(all ? kindsOf(all) : kindsOfThings, seed), replaceNames);
    this.colors = all && mixesPaints(all.task) ? new ColorExchange(seed) : null;
    this.mirrored = all !== null && mayBeMirrored(all.description) && uniformAt(seed, MIRRORED_STREAM, 0) < 0.5;
  }

  override toShown(text: string): string {
    const named = super.toShown(text);
    const recolored = this.colors?.toShown(named) ?? named;
    return this.mirrored ? mirrored(recolored) : recolored;
  }

  override toOriginal(text: string): string {
    const recolored = this.mirrored ? mirrored(text) : text;
    return super.toOriginal(this.colors?.toOriginal(recolored) ?? recolored);
  }

  /** Renames all texts of a view and mirrors its temperatures. */
  view<T>(value: T): T {
    if (typeof value === 'string') return this.toShown(value) as T;
    if (Array.isArray(value)) return value.map((each) => this.view(each)) as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.viewed(key, each)])) as T;
  }

  private viewed(key: string, value: unknown): unknown {
    return this.mirrored && key === 'temperature' && typeof value === 'number' ? 0 - value : this.view(value);
  }
}
