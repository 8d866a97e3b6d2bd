/** Choices for watched episodes: speed, order of the tasks, and whether the next one starts by itself. Stored here. */
import { remember } from '../kit/remember.ts';

export const speeds = { slow: 1800, normal: 900, fast: 250 } as const;
export type Speed = keyof typeof speeds;

export interface WatchView {
  speed: Speed;
  shuffled: boolean;
  /** True if the next task starts when an episode has ended. */
  goesOn: boolean;
}

export const plainWatch: WatchView = { speed: 'normal', shuffled: false, goesOn: false };

const key = 'tabgym.watch';

/** The stored text may have been written by another version, or by hand. */
export function readWatch(text: string | null): WatchView {
  try {
    const kept = JSON.parse(text ?? '{}') as Partial<WatchView> | null;
    return {
      speed: kept?.speed && Object.hasOwn(speeds, kept.speed) ? kept.speed : plainWatch.speed,
      shuffled: kept?.shuffled === true,
      goesOn: kept?.goesOn === true,
    };
  } catch {
    return plainWatch;
  }
}

export const rememberedWatch = (): WatchView => readWatch(localStorage.getItem(key));
export const rememberWatch = (view: WatchView) => remember(key, JSON.stringify(view));

/** Shuffled task numbers are drawn below this; the trainer counts on from the first task after the last one. */
const shuffledUpTo = 1000;

/** Number of the task after `index`. `random`: from 0 up to 1. */
export function nextTask(index: number, shuffled: boolean, random: () => number = Math.random): number {
  if (!shuffled) return index + 1;
  const drawn = Math.floor(random() * (shuffledUpTo - 1));
  // Never the same task twice in a row.
  return drawn >= index && index < shuffledUpTo ? drawn + 1 : drawn;
}
