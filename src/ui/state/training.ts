/** Runs that continue when the page is opened again: each tab may train one. */
import { remember } from '../kit/remember.ts';

const key = 'tabgym.training';
/** Run that this page trained last. */
let own = '';

/** Ids of the runs that trained when their pages were closed, the latest last. */
export const trainingRuns = (): string[] => localStorage.getItem(key)?.split(',') ?? [];

/** Remembers that this page trains the run, or that it no longer does. The runs of other tabs stay. */
export function rememberTraining(run: string, trains: boolean): void {
  const others = trainingRuns().filter((each) => each !== run && each !== own);
  const runs = trains ? [...others, run] : others;
  own = trains ? run : '';
  if (runs.length) remember(key, runs.join());
  else localStorage.removeItem(key);
}
