// The expected band on the page: its corners by the axis, the hint of a run that left it, and the run it belongs to.
import { describe, expect, it } from 'vitest';
import { bandFiles } from '../../src/experiment/bands.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presetsByName } from '../../src/experiment/presets.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import type { RunSummary } from '../../src/session/protocol.ts';
import { bandHint, bandPoints, followBand } from '../../src/ui/state/expected-band.ts';
import { Store } from '../../src/ui/state/state.ts';

const band = { window: 2, seeds: [1, 2, 3], low: [0, null, 0.4, 0.5], high: [0.2, null, 0.6, 0.7] };

const records = (...success: number[]): StepRecord[] => [
  { step: 0, stage: 1, metrics: {} },
  ...success.map((each, i) => ({ step: i + 1, stage: 1, metrics: { success: each, episodes: 8 } })),
];

describe('the corners of a band', () => {
  it('go on after the newest step on an axis of steps', () => {
    const list = records(0.1, 0.1, 0.2);
    const xs = list.map(({ step }) => step);
    expect(bandPoints(band, list, xs, true)).toEqual([
      { x: 1.5, low: 0, high: 0.2 },
      { x: 5.5, low: 0.4, high: 0.6 },
      { x: 7.5, low: 0.5, high: 0.7 },
    ]);
  });

  it('end with the records on another axis, at their places', () => {
    const list = records(0.1, 0.1, 0.2, 0.3, 0.5, 0.5, 0.6);
    const xs = list.map(({ step }) => 100 * step);
    expect(bandPoints(band, list, xs, false).map(({ x }) => x)).toEqual([150, 550]);
  });
});

describe('the hint', () => {
  it('is none within the band, or after one window outside of it', () => {
    expect(bandHint(band, records(0.1, 0.1, 0.3, 0.3, 0.5, 0.5, 0.6, 0.6))).toEqual([]);
    expect(bandHint(band, records(0.1, 0.1, 0.3, 0.3, 0.1, 0.1))).toEqual([]);
    expect(bandHint(null, records(0, 0))).toEqual([]);
  });

  it('names the second window below it, with its success and the band there', () => {
    const [hint] = bandHint(band, records(0.1, 0.1, 0.3, 0.3, 0.1, 0.1, 0.2, 0.3));
    expect(hint).toMatchObject({ id: 'band', level: 'warning', step: 8 });
    expect(hint.sentence).toMatch(/^Success in steps 7 to 8 is 0\.25\. By 3 runs .* between 0\.50 and 0\.70\./);
  });

  it('is no warning above it', () => {
    const [hint] = bandHint(band, records(0.5, 0.5, 0.3, 0.3, 0.9, 0.9));
    expect(hint).toMatchObject({ level: 'info', title: 'Success is above its expected band', step: 6 });
  });
});

it('follows the run in focus', async () => {
  const [[name, load]] = Object.entries(bandFiles);
  const preset = parseExperiment(presetsByName[name]);
  const store = new Store();
  const shown = (id: string, experiment: typeof preset) => store.set({ run: { id, experiment } as RunSummary });
  followBand(store);
  shown('a', { ...preset, seed: 77 });
  await expect.poll(() => store.state.band).toEqual((await load()).default);
  shown('b', { ...preset, steps: preset.steps + 1 });
  await expect.poll(() => store.state.band).toBeNull();
  // A run that is left before its band has arrived does not get it.
  shown('c', preset);
  shown('b', { ...preset, steps: preset.steps + 1 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(store.state.band).toBeNull();
});
