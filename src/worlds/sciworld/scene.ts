/**
 * ScienceWorld's scene for a view: parses the simulator's scene (envs-wasm/sciworld/scene.ts) into a tree of things and
 * computes the temperature changes since the previous view. Draws nothing.
 */
import type { SciWorldThing, SciWorldView } from './view-data.ts';

type Goal = { text: string; reached: boolean; ordered: boolean };
type Scene = Pick<SciWorldView, 'room' | 'doors' | 'things' | 'inventory' | 'focus'>;

/**
 * Temperatures and goals at the last view and at the one before it. Views without a move in between compare with the
 * same earlier one.
 */
export interface ViewHistory {
  moves: number;
  now: Seen;
  before: Seen | null;
}
interface Seen {
  temperatures: Map<number, number>;
  goals: readonly boolean[];
}

const marks: { [letter: string]: SciWorldThing['marks'][number] } = {
  o: 'open',
  c: 'closed',
  n: 'on',
  f: 'off',
  x: 'broken',
  B: 'on fire',
  b: 'burned',
  S: 'unwell',
  D: 'dead',
  l: 'liquid',
  g: 'gas',
};

/**
 * Parses the line of one thing. `before`: temperatures at the previous view; things absent from it have a change of 0.
 */
function thingOf(fields: readonly string[], before: Seen | null): SciWorldThing {
  const [, , id, kind, letters, tenths, detail, ...name] = fields;
  const temperature = tenths === '-' ? null : Number(tenths) / 10;
  const was = before?.temperatures.get(Number(id));
  const change = temperature === null || was === undefined ? 0 : Math.round(10 * (temperature - was)) / 10;
  return {
    id: Number(id),
    kind: kind as SciWorldThing['kind'],
    name: name.join('|'),
    detail,
    marks: Array.from(letters, (letter) => marks[letter]),
    temperature,
    change,
    contents: [],
  };
}

/** Parses the lines of a scene. The agent is left out, and its things become the inventory. */
export function readScene(lines: readonly string[], before: Seen | null): Scene {
  const scene: Scene = { room: '', doors: [], things: [], inventory: [], focus: null };
  const branch: SciWorldThing[] = [];
  for (const fields of lines.map((line) => line.split('|'))) {
    if (fields[0] === 'room') scene.room = fields[1];
    else if (fields[0] === 'focus') scene.focus = Number(fields[1]) || null;
    else if (fields[0] === 'door') scene.doors.push({ from: fields[1], to: fields[2], open: fields[3] === '1' });
    else {
      const depth = Number(fields[1]);
      const thing = thingOf(fields, before);
      branch.length = depth;
      branch.push(thing);
      if (thing.kind === 'inventory') scene.inventory = thing.contents;
      else if (thing.kind !== 'agent') (branch[depth - 1]?.contents ?? scene.things).push(thing);
    }
  }
  return scene;
}

export const everyThing = (things: readonly SciWorldThing[]): SciWorldThing[] =>
  things.flatMap((thing) => [thing, ...everyThing(thing.contents)]);

/** State for the next view to compare with. */
export function nextHistory(
  history: ViewHistory | null,
  moves: number,
  scene: Scene,
  goals: readonly Goal[],
): ViewHistory {
  if (history?.moves === moves) return history;
  const known = everyThing([...scene.things, ...scene.inventory]).filter(({ temperature }) => temperature !== null);
  const now = {
    temperatures: new Map(known.map(({ id, temperature }) => [id, temperature!])),
    goals: goals.map(({ reached }) => reached),
  };
  return { moves, now, before: history?.now ?? null };
}

const list = (words: readonly string[]) => (words.length ? words.join(', ') : 'none');

/** The map as text: "The agent is in the kitchen. Open doors: kitchen to hallway. Closed doors: ..." */
export function describeMap({ room, doors }: Pick<Scene, 'room' | 'doors'>): string {
  const named = (open: boolean) =>
    list(doors.filter((door) => door.open === open).map(({ from, to }) => `${from} to ${to}`));
  return `The agent is in the ${room}. Open doors: ${named(true)}. Closed doors: ${named(false)}.`;
}
