/** What a view of ScienceWorld draws: a house of ten rooms, what is in the agent's room, and how far the task is. */
import type { WorldView } from '../../envs/env.ts';

export interface SciWorldView extends WorldView {
  kind: 'sciworld';
  task: string;
  description: string;
  /** Where the agent is. */
  room: string;
  /** All ten doors, whichever way they are passed. */
  doors: { from: string; to: string; open: boolean }[];
  /** What is in the agent's room, as a tree. */
  things: SciWorldThing[];
  inventory: SciWorldThing[];
  /** The id of what the agent focuses on, which may be elsewhere; null: nothing. */
  focus: number | null;
  /** `fresh`: reached since the view before. */
  goals: { text: string; reached: boolean; ordered: boolean; fresh: boolean }[];
  /** -100, or 0 to 100. */
  score: number;
  moves: number;
  stepLimit: number;
  done: boolean;
}

export interface SciWorldThing {
  id: number;
  name: string;
  kind: '' | 'agent' | 'inventory' | 'thermometer' | 'stopwatch' | 'air' | 'living';
  /** A stage of life, a stopwatch's time, a place on a plane, what a terminal is joined to; or empty. */
  detail: string;
  marks: ('open' | 'closed' | 'on' | 'off' | 'broken' | 'on fire' | 'burned' | 'unwell' | 'dead' | 'liquid' | 'gas')[];
  /** Degrees Celsius, to a tenth; null: it has none. */
  temperature: number | null;
  /** Degrees since the view before; 0 where it was not seen then. */
  change: number;
  contents: SciWorldThing[];
}
