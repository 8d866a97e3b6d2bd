/** Parts that the page around the elements may add to them. Our own page does: pictures of worlds, and its trainer. */
import type { WorldOptions, WorldView } from '../../envs/env.ts';
import type { Trainer } from '../trainer.ts';
import type { Feedback, TaskChoice } from '../worlds.ts';

/** A world in which a person plays. */
export interface PlayedWorld {
  reset(task: TaskChoice): Promise<Feedback>;
  step(action: string): Promise<Feedback>;
  view(): Promise<WorldView>;
  close(): Promise<void>;
}

export interface ElementHost {
  /** The trainer that all elements share. Default: one of the library's. */
  trainer?: () => Promise<Trainer>;
  /** Draws the state of a world into a place of the element; null: there is none. Default: no picture. */
  picture?: (view: WorldView | null, place: HTMLElement) => void;
  /** Opens a world for a person. Default: in this thread. */
  openWorld?: (name: string, options: WorldOptions) => Promise<PlayedWorld>;
  /** Sentence for an error. Default: its message. */
  explain?: (error: Error) => string;
  /** Further views, by the name that the attribute `view` has for them, with the text of their tab. */
  views?: { readonly [name: string]: { label: string; draw: () => Element } };
}

/** Of all elements of the page. */
export const host: ElementHost = {};
