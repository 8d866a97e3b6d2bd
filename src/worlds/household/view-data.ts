/** Data of the household's view: places with what lies in them, the hand, the subgoals. Independent of WASM. */
import type { WorldView } from '../../envs/env.ts';
import { type House, objectBits, type StateName, stateBits } from './house.ts';
import type { HouseNames } from './house-bytes.ts';

export interface ThingSeen {
  name: string;
  states: StateName[];
  lamp: boolean;
}

export interface PlaceSeen {
  name: string;
  kind: string;
  openable: boolean;
  opened: boolean;
  /** True if the agent has seen what is in it. */
  seen: boolean;
  /** True if the agent stands there. */
  here: boolean;
  things: ThingSeen[];
}

export interface HouseholdView extends WorldView {
  kind: 'household';
  task: string;
  rooms: { name: string; places: PlaceSeen[] }[];
  hand: ThingSeen | null;
  subgoals: { text: string; done: boolean }[];
  won: boolean;
  /** The commands that are possible now, grouped by what a click on the view may ask for. */
  commands: readonly string[];
}

const none = 255;

/** Parses the lines of `writeView` (envs-wasm/household/index.ts). */
export function parseView(text: string, house: House, names: HouseNames, commands: readonly string[]): HouseholdView {
  const lines = text.split('\n').slice(0, -1);
  const [agent, held, won] = lines.slice(0, 3).map(Number);
  const rows = lines.slice(5, 5 + house.receptacles.length);
  const states = lines.slice(5 + rows.length, 5 + rows.length + house.objects.length).map(Number);
  const thing = (o: number): ThingSeen => ({
    name: names.objects[o],
    states: (Object.keys(stateBits) as StateName[]).filter((state) => states[o] & stateBits[state]),
    lamp: (house.objects[o].bits & objectBits.toggleable) !== 0,
  });
  const places = house.receptacles.map(({ kind, openable, location }, r): PlaceSeen => {
    const [marks, ...inside] = rows[r].split(' ');
    const [opened, seen] = [marks[0] === '1', marks[1] === '1'];
    const here = location === agent;
    return {
      name: names.receptacles[r],
      kind: kind ?? '',
      openable,
      opened,
      seen,
      here,
      things: inside.map((o) => thing(Number(o))),
    };
  });
  const roomNames = [...new Set(house.rooms ?? ['house'])];
  const rooms = roomNames.map((name) => ({
    name,
    places: places.filter((_, r) => (house.rooms?.[r] ?? 'house') === name),
  }));
  const subgoals = lines
    .slice(5 + rows.length + states.length)
    .map((line) => ({ text: line.slice(1), done: line[0] === '1' }));
  const view = { task: house.task, rooms, hand: held === none ? null : thing(held), subgoals, won: won === 1 };
  return { kind: 'household', text: describe(view), ...view, commands };
}

type Described = Pick<HouseholdView, 'task' | 'rooms' | 'hand' | 'won' | 'subgoals'>;

const thingText = ({ name, states }: ThingSeen) =>
  [name, ...(states.length ? [`(${states.join(', ')})`] : [])].join(' ');

function describe({ task, rooms, hand, won, subgoals }: Described): string {
  const places = rooms.flatMap((room) => room.places);
  const here = places.filter((place) => place.here).map(({ name }) => name);
  const known = places
    .filter(({ seen }) => seen)
    .map(({ name, things }) => `${name}: ${things.map(thingText).join(', ') || 'nothing'}`);
  const done = subgoals.filter((each) => each.done).length;
  return (
    `Task: ${task}. You are at ${here.join(' and ') || 'the middle of the room'}. ` +
    `In hand: ${hand ? thingText(hand) : 'nothing'}. Seen: ${known.join('; ') || 'nothing yet'}. ` +
    `${done} of ${subgoals.length} subgoals.${won ? ' The task is done.' : ''}`
  );
}
