/** Data of ScienceWorld's view: a house of ten rooms, the things in the agent's room, and the progress of the task. */
import type { WorldView } from '../../envs/env.ts';

export interface SciWorldView extends WorldView {
  kind: 'sciworld';
  task: string;
  description: string;
  /** Room of the agent. */
  room: string;
  /** All ten doors, each listed once. */
  doors: { from: string; to: string; open: boolean }[];
  /** Things in the agent's room, as a tree. */
  things: SciWorldThing[];
  inventory: SciWorldThing[];
  /** Id of the thing in focus, which may be in another room; null if none. */
  focus: number | null;
  /** `fresh`: reached since the previous view. */
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
  /** Stage of life, time on a stopwatch, position on a plane, or connection of a terminal; otherwise empty. */
  detail: string;
  marks: ('open' | 'closed' | 'on' | 'off' | 'broken' | 'on fire' | 'burned' | 'unwell' | 'dead' | 'liquid' | 'gas')[];
  /** Degrees Celsius, to a tenth; null if the thing has no temperature. */
  temperature: number | null;
  /** Change in degrees since the previous view; 0 if the thing was not in it. */
  change: number;
  contents: SciWorldThing[];
}
