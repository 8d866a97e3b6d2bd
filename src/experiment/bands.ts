/**
 * Bands of presets, a file of `experiments/bands` each, loaded for a run whose training is a preset's. `npm run bands`
 * makes them.
 */
import type { Band } from '../rl/evaluation/band.ts';
import { type Experiment, parseExperiment } from './experiment.ts';
import { same } from './paths.ts';
import { presetsByName } from './presets.ts';

/** Content of a band's file. */
export interface StoredBand extends Band {
  format: 'tabgym-band-1';
  /** SHA-256 of the training in the preset's file. Another one: the preset has changed, and the band is made anew. */
  training: string;
}

/** Bands by the name of their preset's file. */
export const bandFiles: { readonly [preset: string]: () => Promise<{ default: unknown }> } = {
  'maze-first': () => import('../../experiments/bands/maze-first.json'),
  'textcraft-first': () => import('../../experiments/bands/textcraft-first.json'),
  'babyai-first': () => import('../../experiments/bands/babyai-first.json'),
  'search-first': () => import('../../experiments/bands/search-first.json'),
  'shop-first': () => import('../../experiments/bands/shop-first.json'),
  'sql-first': () => import('../../experiments/bands/sql-first.json'),
  'tools-first': () => import('../../experiments/bands/tools-first.json'),
};

/** Everything of an experiment that changes its numbers, without the seed. */
export function trainingOf(experiment: Experiment): Omit<Experiment, 'name' | 'description' | 'seed'> {
  const { name: _name, description: _description, seed: _seed, ...training } = experiment;
  return training;
}

/** Band of the preset whose training an experiment has, with any seed; null: there is none. */
export async function bandFor(experiment: Experiment): Promise<Band | null> {
  const training = trainingOf(experiment);
  for (const [preset, load] of Object.entries(bandFiles))
    if (same(trainingOf(parseExperiment(presetsByName[preset])), training)) return (await load()).default as StoredBand;
  return null;
}
