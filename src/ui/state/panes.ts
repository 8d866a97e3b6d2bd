/** Sizes of the panes: bounds, defaults, and the sizes that a person chose, stored in this browser. */
import { remember } from '../kit/remember.ts';
import type { StageTab } from './selection.ts';

/**
 * `progress` has one size for reading, a smaller one for watching, which leaves more room for the world, and a larger one
 * for a sweep, whose charts are below the list of its runs.
 */
export type PaneName = 'setup' | 'learn' | 'drawer' | 'progress' | 'progressWatching' | 'progressSweep';

interface PaneBounds {
  min: number;
  max: number;
  initial: number;
}

/** CSS pixels of the pane itself, without its neighbours. */
export const panes: { readonly [name in PaneName]: PaneBounds } = {
  setup: { min: 220, max: 560, initial: 306 },
  learn: { min: 260, max: 720, initial: 360 },
  drawer: { min: 280, max: 900, initial: 400 },
  progress: { min: 96, max: 720, initial: 330 },
  progressWatching: { min: 96, max: 720, initial: 286 },
  progressSweep: { min: 96, max: 720, initial: 440 },
};

export type PaneSizes = { readonly [name in PaneName]: number };

const key = 'tabgym.panes';
const names = Object.keys(panes) as PaneName[];

const bounded = (name: PaneName, size: unknown): number => {
  const { min, max, initial } = panes[name];
  return typeof size === 'number' && Number.isFinite(size) ? Math.min(max, Math.max(min, Math.round(size))) : initial;
};

const sizesOf = (kept: { [name: string]: unknown }): PaneSizes =>
  Object.fromEntries(names.map((name) => [name, bounded(name, kept[name])])) as unknown as PaneSizes;

/** The stored text may have been written by another version, or by hand. */
export function readPanes(text: string | null): PaneSizes {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    return sizesOf(typeof kept === 'object' && kept !== null ? (kept as { [name: string]: unknown }) : {});
  } catch {
    return sizesOf({});
  }
}

export const initialPanes = (): PaneSizes => sizesOf({});
export const rememberedPanes = (): PaneSizes => readPanes(localStorage.getItem(key));

/** Sizes with one pane changed within its bounds; stores them. */
export function resizedPanes(sizes: PaneSizes, name: PaneName, size: number): PaneSizes {
  const next = { ...sizes, [name]: bounded(name, size) };
  remember(key, JSON.stringify(next));
  return next;
}

const watchingTabs: readonly StageTab[] = ['watch', 'play', 'trajectory', 'read'];

/** Pane of the curves for this tab of the stage; a sweep's curves are the main content on each of them. */
export const progressPane = (tab: StageTab, sweep = false): PaneName =>
  sweep ? 'progressSweep' : watchingTabs.includes(tab) ? 'progressWatching' : 'progress';
