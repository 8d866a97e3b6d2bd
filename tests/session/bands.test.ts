// The stored bands of presets: each belongs to its preset as it is now, and to no other training.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bandFiles, bandFor, type StoredBand } from '../../src/experiment/bands.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presetsByName } from '../../src/experiment/presets.ts';
import { trainingHash } from '../../tools/bands/runs.ts';

const presetOf = (name: string) => parseExperiment(presetsByName[name]);

it('are all listed', () =>
  expect(readdirSync('experiments/bands')).toEqual(
    Object.keys(bandFiles)
      .map((name) => `${name}.json`)
      .sort(),
  ));

it.each(Object.entries(bandFiles))(
  'the band of %s belongs to the preset (else: npm run bands -- NAME)',
  async (name, load) => {
    const band = (await load()).default as StoredBand;
    expect(band.training).toBe(trainingHash(presetsByName[name]));
    expect(band.seeds.length).toBeGreaterThanOrEqual(3);
    expect(band.low).toHaveLength(Math.floor(presetOf(name).steps / band.window));
    expect(band.high).toHaveLength(band.low.length);
    expect(band.low.every((low, k) => low === null || low < band.high[k]!)).toBe(true);
  },
);

it('belong to any seed and name, and to no other setting', async () => {
  const [[name, load]] = Object.entries(bandFiles);
  const preset = presetOf(name);
  expect(await bandFor({ ...preset, seed: 1234, name: 'Mine' })).toEqual((await load()).default);
  expect(await bandFor({ ...preset, steps: preset.steps + 1 })).toBeNull();
});
