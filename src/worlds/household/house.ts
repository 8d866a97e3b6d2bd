/**
 * A house with a task: what a problem of the original says, made from a seed (`made/`) or read from a game file
 * (`original/`). Things are listed in the order of their ids, in which all texts list them.
 */

export const objectBits = {
  pickupable: 1,
  cleanable: 2,
  heatable: 4,
  coolable: 8,
  toggleable: 16,
  sliceable: 32,
  isReceptacle: 64,
  knife: 128,
} as const;

export const stateBits = { clean: 1, hot: 2, cool: 4, sliced: 8, toggled: 16 } as const;
export type StateName = keyof typeof stateBits;

export interface Receptacle {
  /** Name in a problem, in lower case. */
  id: string;
  /** Type in lower case without `type`, or null. */
  kind: string | null;
  openable: boolean;
  opened: boolean;
  /** Index of its location, or null if the agent cannot reach it. */
  location: number | null;
}

export interface Thing {
  id: string;
  kind: string | null;
  /** Sum of `objectBits`. */
  bits: number;
  /** Sum of `stateBits`. */
  state: number;
  /** Indices of the receptacles that it is in: none or one in a made house. */
  inside: readonly number[];
  /** Indices of the locations that it counts as being at. */
  lying: readonly number[];
  /** Indices of the objects that it is in. */
  within: readonly number[];
}

/** A part of the goal; all must hold at once. */
export type Clause =
  | { type: 'place'; object: string; receptacle: string; count: 1 | 2; states: readonly StateName[]; bits: number }
  | { type: 'hold'; object: string }
  /** `lying`: the lamp counts by its location, not by the receptacle that it is in. */
  | { type: 'light'; object: string; lying: boolean };

export interface House {
  receptacles: readonly Receptacle[];
  objects: readonly Thing[];
  /** Ids of the locations. */
  locations: readonly string[];
  /** Index of the agent's first location. */
  agent: number;
  /** Kinds of objects that a kind of receptacle can contain. */
  contains: ReadonlyMap<string, ReadonlySet<string>>;
  goal: readonly Clause[];
  /** The task's text, without "Your task is to:" and its full stop. */
  task: string;
  /** Name of the room of each receptacle, for the view; absent for houses of game files. */
  rooms?: readonly string[];
}

/** Maximum number of receptacles, objects or locations: they are numbered in bytes. */
export const mostThings = 250;
