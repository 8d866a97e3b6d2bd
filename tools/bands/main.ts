/**
 * `npm run bands -- PRESET [--seeds 1,2,3,4,5] [--runs FOLDER...] [--out FOLDER]`: trains a preset with several seeds,
 * or reads runs that exist, and writes the band of its success into `experiments/bands`. Stopped, it goes on.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { CommandError, fail } from '../../src/cli/command-error.ts';
import { deviceOptions } from '../../src/cli/node-device.ts';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { sweep } from '../../src/cli/sweep-folder.ts';
import { writeWhole } from '../../src/cli/whole-files.ts';
import type { StoredBand } from '../../src/experiment/bands.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presetsByName } from '../../src/experiment/presets.ts';
import { bandOf } from '../../src/rl/evaluation/band.ts';
import { runsOf, trainingHash } from './runs.ts';

const rounded = (ends: readonly (number | null)[]) =>
  ends.map((each) => (each === null ? null : Number(each.toFixed(4))));

const whole = wholeFrom(0);
const [device, threads] = deviceOptions('auto');
const program = new Command('bands')
  .description("Makes the band in which the success of a preset's run lies, from several seeds.")
  .argument('<preset>', 'name of a preset: the file in experiments/ without .json')
  .option('--seeds <list>', 'seeds to train', (text: string) => text.split(',').map(whole), [1, 2, 3, 4, 5])
  .option('--runs <folders...>', 'folders of finished runs of this preset, in the place of training', [])
  .option('--out <folder>', 'folder of the runs (default: runs/PRESET-bands)')
  .addOption(device)
  .addOption(threads);

async function main(): Promise<void> {
  program.parse();
  const [preset] = program.args;
  const { seeds, runs, out, ...options } = program.opts();
  if (!(preset in presetsByName))
    throw new CommandError(`There is no preset "${preset}"; there are ${Object.keys(presetsByName).join(', ')}.`);
  const experiment = parseExperiment(presetsByName[preset]);
  const folder = out ?? join('runs', `${preset}-bands`);
  const print = (line: string) => console.log(line);
  if (!runs.length) {
    const { finished } = await sweep({ ...options, file: `experiments/${preset}.json`, seeds, out: folder, print });
    if (!finished) return;
  }
  const read = await runsOf(experiment, runs.length ? runs : [folder]);
  const band = bandOf(read);
  const stored: StoredBand = {
    format: 'tabgym-band-1',
    training: trainingHash(presetsByName[preset]),
    ...band,
    low: rounded(band.low),
    high: rounded(band.high),
  };
  mkdirSync('experiments/bands', { recursive: true });
  const file = `experiments/bands/${preset}.json`;
  writeWhole(file, `${JSON.stringify(stored)}\n`);
  print(`${file}: ${read.length} seeds (${band.seeds.join(', ')}), windows of ${band.window} steps`);
  band.low.forEach((low, k) => {
    const end = (value: number | null) => (value === null ? '-' : value.toFixed(3));
    print(`  to step ${(k + 1) * band.window}: ${end(low)} to ${end(band.high[k])}`);
  });
}

// Dawn keeps the process alive, so exit explicitly.
main().then(() => process.exit(0), fail);
