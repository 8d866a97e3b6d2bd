// The documents behind the figures: complete, with three seeds, scaled as a whole, and built from sweeps and variants
// that exist.
import { expect, it } from 'vitest';
import { figureSweeps, figures } from '../../src/cli/figures.ts';
import { figureDocument, figureNames } from '../../src/cli/reproduction.ts';
import { readSweepDocument } from '../../src/cli/sweep-folder.ts';
import { sweptRuns } from '../../src/experiment/experiment.ts';
import { hasWorlds } from '../worlds.ts';

const seeds = [1, 2, 3];

it('there are five figures, or those of the worlds here, each made of existing sweeps and variants', () => {
  const ofBabyAi = ['figure7', 'figure7-free', 'figure8'].filter(() => hasWorlds('babyai'));
  expect(figureNames).toEqual(['table6', ...ofBabyAi, 'figure9']);
  for (const { sweeps, evaluations } of figures) {
    const found = sweeps.map((key) => figureSweeps.find((each) => each.key === key)!);
    expect(found.every(Boolean)).toBe(true);
    for (const { sweep, variant } of evaluations) {
      expect(sweeps).toContain(sweep);
      const names = figureDocument(figureSweeps.find((each) => each.key === sweep)!, { seeds, scale: 1 }).sweep!
        .variants;
      if (variant) expect(names.map(({ name }) => name)).toContain(variant);
    }
  }
});

it.each(figureSweeps)('$key: every run is complete, and a trial is shorter in all its parts', (sweep) => {
  const whole = figureDocument(sweep, { seeds, scale: 1 });
  const trial = figureDocument(sweep, { seeds, scale: 0.1 });
  const runs = sweptRuns(trial);
  expect(runs).toHaveLength(seeds.length * whole.sweep!.variants.length);
  for (const [i, { experiment }] of sweptRuns(whole).entries()) {
    const short = runs[i].experiment;
    expect(short.steps).toBe(Math.round(experiment.steps / 10));
    expect(short.horizon.map(({ steps }) => steps)).toEqual(
      experiment.horizon.map(({ steps }) => Math.round(steps / 10)),
    );
    expect(short.horizon.map(({ turns }) => turns)).toEqual(experiment.horizon.map(({ turns }) => turns));
    // The stages of the horizon add up to the whole run.
    expect(experiment.horizon.reduce((sum, { steps }) => sum + steps, 0)).toBe(experiment.steps);
  }
});

it('a document without a sweep uses its own seed, or the given ones', () => {
  const file = 'experiments/micro.json';
  expect(readSweepDocument({ file }).sweep).toEqual({ seeds: [7], variants: [] });
  expect(readSweepDocument({ file, seeds: [1, 2], steps: 3 })).toMatchObject({ steps: 3, sweep: { seeds: [1, 2] } });
});
