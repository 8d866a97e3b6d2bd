/**
 * Draws a house with a task from a seed. The furnishing (rooms and the number of each receptacle) decides by its hash
 * whether a house is held out, so no held-out house is furnished like one of training.
 */
import { WorldError } from '../../../envs/env.ts';
import { mixSeeds, Random } from '../../../envs/random.ts';
import { type House, objectBits, type Receptacle, type Thing } from '../house.ts';
import { bitsOfKind, contents, lampPlaces, openableKinds, smallThings } from './kinds.ts';
import { type Room, roomNamed, rooms } from './rooms.ts';
import type { TaskKind } from './task-kinds.ts';
import { type DrawnTask, drawTask, type Furnished, taskRooms } from './tasks.ts';

export interface HouseShape {
  /** Number of receptacles of a room. */
  receptacles: number;
  /** Number of objects beside those that the task needs. */
  clutter: number;
  /** Receptacles, in percent, that share the place of another one. */
  sharedPlaces: number;
}

/** One furnishing in this many is held out. */
const heldOutIn = 5;
const mostDraws = 2000;
/** Maximum number of objects of a kind. */
const mostOfKind = 3;

/** A kind of receptacle in a room. */
interface Piece {
  kind: string;
  room: number;
}

function furnishRoom(room: Room, index: number, count: number, random: Random): Piece[] {
  const pieces = room.always.map((kind) => ({ kind, room: index }));
  const left = new Map(Object.entries(room.further));
  for (const kind of room.always) if (left.has(kind)) left.set(kind, left.get(kind)! - 1);
  while (pieces.length < count) {
    const kinds = [...left].flatMap(([kind, number]) => (number > 0 ? [kind] : []));
    if (!kinds.length) break;
    const kind = random.pick(kinds);
    left.set(kind, left.get(kind)! - 1);
    pieces.push({ kind, room: index });
  }
  return pieces;
}

/** Rooms and the number of each receptacle, as text. */
export function furnishingText(names: readonly string[], pieces: readonly Piece[]): string {
  const sorted = pieces.map(({ kind, room }) => `${names[room]} ${kind}`).sort();
  return sorted.join(',');
}

/** True if a house with this furnishing is held out. */
export function isHeldOut(furnishing: string): boolean {
  return mixSeeds(...Array.from(furnishing, (letter) => letter.charCodeAt(0))) % heldOutIn === 0;
}

function drawRooms(kind: TaskKind, random: Random): Room[] {
  const first = roomNamed(random.pick(taskRooms[kind]));
  if (kind !== 'second-room') return [first];
  return [first, random.pick(rooms.filter(({ name }) => name !== first.name))];
}

interface Frame extends Furnished {
  pieces: Piece[];
  task: DrawnTask;
}

function drawFrame(kind: TaskKind, shape: HouseShape, heldOut: boolean, random: Random): Frame {
  for (let draw = 0; draw < mostDraws; draw++) {
    const chosen = drawRooms(kind, random);
    const count = Math.ceil(shape.receptacles / chosen.length);
    const pieces = chosen.flatMap((room, k) => furnishRoom(room, k, count, random));
    const names = chosen.map(({ name }) => name);
    if (isHeldOut(furnishingText(names, pieces)) !== heldOut) continue;
    const kinds = chosen.map((_, k) => new Set(pieces.flatMap((piece) => (piece.room === k ? [piece.kind] : []))));
    const task = drawTask(kind, { rooms: chosen, kinds }, random);
    if (task) return { rooms: chosen, kinds, pieces, task };
  }
  throw new WorldError(
    `No ${heldOut ? 'held-out' : 'training'} house for "${kind}" was found with ${shape.receptacles} receptacles: choose more.`,
  );
}

const padded = (number: number) => String(number).padStart(2, '0');

/** Ids by kind: `apple_bar_02`; a basin's id ends with its kind, as in the original. */
class Ids {
  private readonly counts = new Map<string, number>();

  next(kind: string): string {
    const number = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, number);
    if (!kind.endsWith('basin')) return `${kind}_bar_${padded(number)}`;
    return `${kind.slice(0, -'basin'.length)}_bar_${padded(number)}_bar_${kind}`;
  }
}

const byId = <T extends { id: string }>(things: T[]): T[] => things.sort((a, b) => (a.id < b.id ? -1 : 1));

/** Receptacles with their rooms, in the order of their ids, each at a location of its own or at another's. */
function placeReceptacles({ pieces }: Frame, { sharedPlaces }: HouseShape, random: Random) {
  const ids = new Ids();
  const placed = byId(pieces.map(({ kind, room }) => ({ id: ids.next(kind), kind, room, location: 0 })));
  // Location 0 is the middle of the room, where the agent begins.
  let locations = 1;
  for (const [k, each] of placed.entries()) {
    const shares = k > 0 && placed[k - 1].room === each.room && random.chance(sharedPlaces);
    each.location = shares ? placed[k - 1].location : locations++;
  }
  const order = random.shuffle(Array.from({ length: locations }, (_, k) => k));
  const names = order.map((number) => `loc_bar_${String(number).padStart(3, '0')}`);
  return { placed, locations: names };
}

type Placed = ReturnType<typeof placeReceptacles>['placed'][number];

/** Receptacles in which an object of the kind may begin. */
function startsOf(kind: string, frame: Frame, placed: readonly Placed[]): number[] {
  const { goal, closedOnly, secondOnly } = frame.task;
  const wanted = goal.flatMap((clause) =>
    clause.type === 'place' && clause.object === kind ? [clause.receptacle] : [],
  );
  return placed.flatMap((each, k) => {
    const fits = kind in lampPlaces ? lampPlaces[kind].includes(each.kind) : contents[each.kind].includes(kind);
    const allowed = !wanted.includes(each.kind) && (!closedOnly.has(kind) || openableKinds.has(each.kind));
    return fits && allowed && (!secondOnly.has(kind) || each.room === 1) ? [k] : [];
  });
}

/** Kinds of all objects: those that the task needs, its room's lamp, and the clutter. */
function drawKinds({ task, rooms: chosen }: Frame, { clutter }: HouseShape, random: Random): string[] {
  const kinds = [...task.needed];
  const possible = chosen.flatMap(({ objects }) => objects);
  for (let k = 0; k < clutter; k++) {
    const kind = random.pick(possible);
    if (kinds.filter((each) => each === kind).length < mostOfKind) kinds.push(kind);
  }
  for (const { lamp } of chosen) if (lamp && !kinds.includes(lamp)) kinds.push(lamp);
  return kinds;
}

const isContainer = (thing: Thing) => (thing.bits & objectBits.isReceptacle) !== 0;

function placeObjects(frame: Frame, shape: HouseShape, placed: readonly Placed[], random: Random): Thing[] {
  const ids = new Ids();
  const objects = drawKinds(frame, shape, random).flatMap((kind): Thing[] => {
    const starts = startsOf(kind, frame, placed);
    if (!starts.length) return [];
    const at = random.pick(starts);
    const common = { id: ids.next(kind), kind, bits: bitsOfKind(kind), state: 0, within: [] };
    return [{ ...common, inside: [at], lying: [placed[at].location] }];
  });
  byId(objects);
  // Something small may lie in a movable receptacle. As in the original, it is then in no other, and cannot be taken.
  const outer = objects.findIndex(isContainer);
  const inner = objects.findIndex(({ kind }) => smallThings.includes(kind!) && !frame.task.needed.includes(kind!));
  if (outer < 0 || inner < 0 || !random.chance(50)) return objects;
  return objects.map((thing, k) => (k === inner ? { ...thing, inside: [], within: [outer] } : thing));
}

/** True if every object that the task needs has found a place. */
const isComplete = ({ task }: Frame, objects: readonly Thing[]) =>
  task.needed.every((kind) => {
    const wanted = task.needed.filter((each) => each === kind).length;
    return objects.filter((thing) => thing.kind === kind && thing.inside.length > 0).length >= wanted;
  });

/** The house of a seed with a task of a kind. */
export function drawHouse(kind: TaskKind, seed: number, heldOut: boolean, shape: HouseShape): House {
  const random = new Random(mixSeeds(seed, heldOut ? 1 : 0));
  for (let draw = 0; draw < mostDraws; draw++) {
    const frame = drawFrame(kind, shape, heldOut, random);
    const { placed, locations } = placeReceptacles(frame, shape, random);
    const objects = placeObjects(frame, shape, placed, random);
    if (!isComplete(frame, objects)) continue;
    const receptacles = placed.map(({ id, kind, location }): Receptacle => {
      return { id, kind, openable: openableKinds.has(kind), opened: false, location };
    });
    return {
      receptacles,
      objects,
      locations,
      agent: 0,
      contains: new Map(Object.entries(contents).map(([each, things]) => [each, new Set(things)])),
      goal: frame.task.goal,
      task: frame.task.task,
      rooms: placed.map(({ room }) => frame.rooms[room].name),
    };
  }
  throw new WorldError(`No house was found for "${kind}" with ${shape.receptacles} receptacles: choose more.`);
}
