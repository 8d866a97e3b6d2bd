// The command line's line about a run that leaves the band of its preset: once, and after a resume no second time.
import { expect, it } from 'vitest';
import { bandLine } from '../../src/cli/expected-band.ts';
import { bandFiles, type StoredBand } from '../../src/experiment/bands.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presetsByName } from '../../src/experiment/presets.ts';
import type { StepRecord } from '../../src/rl/evaluation/evaluation.ts';

const [[name, load]] = Object.entries(bandFiles);
const preset = parseExperiment(presetsByName[name]);
const band = (await load()).default as StoredBand;

/** A run in the middle of the band up to a window, and without any success from there on. */
const failingFrom = (from: number): StepRecord[] =>
  Array.from({ length: preset.steps }, (_, i) => {
    const k = Math.floor(i / band.window);
    const success = k < from ? (band.low[k]! + band.high[k]!) / 2 : 0;
    return { step: i + 1, stage: 1, metrics: { success, episodes: 128 } };
  });

const last = band.low.length - 1;

it('is printed once, at the end of the second window', async () => {
  const lines: [number, string][] = [];
  const records = failingFrom(last - 2);
  let step = 0;
  const see = await bandLine(
    preset,
    async () => [],
    (line) => lines.push([step, line]),
  );
  for (const record of records) {
    step = record.step;
    see(record);
  }
  expect(lines).toHaveLength(1);
  const [at, line] = lines[0];
  expect(at).toBe(last * band.window);
  expect(line).toMatch(
    /^warning: success in steps \d+ to \d+ is 0\.000, below the 0\.\d+ to \d\.\d+ expected by 5 runs/,
  );
});

it('is not printed again after a resume, nor for another experiment', async () => {
  const lines: string[] = [];
  const records = failingFrom(last - 2);
  const print = (line: string) => lines.push(line);
  const resumed = await bandLine(preset, async () => records.slice(0, last * band.window), print);
  for (const record of records.slice(last * band.window)) resumed(record);
  const other = await bandLine({ ...preset, steps: preset.steps + 1 }, async () => [], print);
  for (const record of records) other(record);
  expect(lines).toEqual([]);
});
