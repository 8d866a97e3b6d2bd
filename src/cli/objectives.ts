/** `npm run objectives -- RUN.tabgym [--step N] [--algorithms grpo,rloo] [--out FILE.json]` */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { parseExperiment } from '../experiment/experiment.ts';
import { algorithms } from '../rl/algorithms/registry.ts';
import type { ComparedObjective } from '../rl/compare-objectives.ts';
import { decodeState, REFERENCE } from '../session/checkpoint.ts';
import { decodeTrajectories } from '../session/run/trajectory-codec.ts';
import { readRunFile } from '../session/run-file.ts';
import { CommandError, fail } from './command-error.ts';
import { deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
import { commandEngines } from './sweep-folder.ts';
import { writeWhole } from './whole-files.ts';

const [device, threads] = deviceOptions('auto');
const program = new Command('objectives')
  .description("Computes every algorithm's weights and gradient on one kept step of a run; trains nothing.")
  .argument('<run>', 'a file of a run (.tabgym)')
  .option('--step <n>', 'step whose episodes are used (default: the last)', wholeFrom(1))
  .option('--algorithms <list>', 'names, separated by commas (default: all)')
  .option('--out <file>', 'also writes the numbers as JSON')
  .addOption(device)
  .addOption(threads);

const fixed = (value: number | null, digits = 3) => (value === null ? '-' : value.toFixed(digits));

/** Table of the algorithms, then the cosines of their gradients. */
function lines(all: readonly ComparedObjective[]): string[] {
  const counted = all.filter(({ without }) => !without);
  const rows = counted.map(({ label, tokens, ratio, clipped, norm, episodes }) => {
    const total = episodes.reduce((sum, { weight }) => sum + weight, 0);
    const largest = Math.max(0, ...episodes.map(({ weight }) => weight)) / (total || 1);
    return `${label}: ${tokens} tokens, ratio ${fixed(ratio)}, clipped ${fixed(100 * clipped, 1)}%, gradient norm ${fixed(norm)}, largest episode ${fixed(100 * largest, 1)}% of the weight`;
  });
  const cosines = counted.map(({ label, cosines: own }) => {
    const shown = all.flatMap(({ without }, k) => (without ? [] : [fixed(own[k], 2)]));
    return `${label}: ${shown.join(' ')}`;
  });
  const missing = all
    .filter(({ without }) => without)
    .map(({ label, without }) => `${label}: not compared, ${without}`);
  return [...rows, 'cosines of the gradients, in this order:', ...cosines, ...missing];
}

async function main(): Promise<void> {
  program.parse();
  const [file] = program.args;
  const { step: asked, algorithms: list, out, ...options } = program.opts();
  const run = readRunFile(new Uint8Array(readFileSync(file)), file);
  const kept = (run.checkpoints ?? []).map(({ meta }) => meta.step);
  const possible = [...(run.trajectories?.keys() ?? [])].filter(
    (each) => kept.includes(each) || kept.includes(each - 1),
  );
  const step = asked ?? Math.max(...possible);
  // The weights after the step, if they are kept: there the ratios differ from 1, as in a second pass.
  const checkpoint = run.checkpoints?.find(({ meta }) => meta.step === (kept.includes(step) ? step : step - 1));
  const bytes = run.trajectories?.get(step);
  if (!checkpoint || !bytes)
    throw new CommandError(`Step ${step} has no episodes with weights beside it. These have: ${possible.join(', ')}.`);
  const names = list ? (list as string).split(',') : algorithms.map(({ name }) => name);
  const { signal } = new AbortController();
  const opening = { assets: run.assets ?? {}, choices: checkpoint.meta, purpose: 'train', signal } as const;
  const engine = await commandEngines(options).open(parseExperiment(run.experiment), {
    ...opening,
    onProgress: () => {},
  });
  const reference = run.assets?.[REFERENCE];
  if (reference) await engine.load(decodeState(reference, 0), { reference: true });
  await engine.load(decodeState(checkpoint.bytes, checkpoint.meta.optimizerStep));
  if (!engine.training?.compare) throw new CommandError('This policy does not train.');
  const all = await engine.training.compare(step, decodeTrajectories(bytes), names);
  console.log(`step ${step}, weights of step ${checkpoint.meta.step}`);
  for (const line of lines(all)) console.log(line);
  if (out) writeWhole(out, `${JSON.stringify({ step, weights: checkpoint.meta.step, objectives: all }, null, 1)}\n`);
  await engine.close();
}

main().then(() => process.exit(0), fail);
