/** How large the panes are: bounds, what holds at first, and what a person dragged them to, remembered in this browser. */
import type { StageTab } from './selection.ts';

/** `progress` has a size for reading and a smaller one for watching, where the world is what counts. */
export type PaneName = 'setup' | 'learn' | 'drawer' | 'progress' | 'progressWatching';

interface PaneBounds {
  min: number;
  max: number;
  initial: number;
}

/** CSS pixels; the pane's own size, whatever is beside it. */
export const panes: { readonly [name in PaneName]: PaneBounds } = {
  setup: { min: 220, max: 560, initial: 306 },
  learn: { min: 260, max: 720, initial: 360 },
  drawer: { min: 280, max: 900, initial: 400 },
  progress: { min: 96, max: 720, initial: 300 },
  progressWatching: { min: 96, max: 720, initial: 224 },
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

/** What was kept may be anything: another version wrote it, or a person. */
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

/** With one pane's size changed, within its bounds, and remembered. */
export function resizedPanes(sizes: PaneSizes, name: PaneName, size: number): PaneSizes {
  const next = { ...sizes, [name]: bounded(name, size) };
  localStorage.setItem(key, JSON.stringify(next));
  return next;
}

const watchingTabs: readonly StageTab[] = ['watch', 'play', 'trajectory', 'read'];

/** The pane of the curves beside this tab of the stage; those of a whole sweep are what one looks at. */
export const progressPane = (tab: StageTab, sweep = false): PaneName =>
  watchingTabs.includes(tab) && !sweep ? 'progressWatching' : 'progress';
