/**
 * `npm run test:large [-- --precision int8]`: loads a random model with Qwen2.5-0.5B's width and vocabulary and two
 * layers, plays 8 trajectories and takes a GRPO step, in bindings of at most 128 MiB and without allocating a new
 * buffer. Takes some minutes on a software adapter.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { type DeviceOptions, deviceOptions } from '../../src/cli/node-device.ts';
import type { PackedPrecision } from '../../src/policy/weights/packed-layout.ts';
import { playLarge } from './play.ts';

const count = (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return value;
};

const program = new Command('test:large')
  .description('Loads a random language model of real width, plays, and takes a GRPO step of an adapter.')
  .option('--model <id>', 'a listed model', 'qwen2.5-0.5b')
  .option('--layers <n>', 'number of layers', count, 2)
  .option('--vocab <n>', 'vocabulary size (default: as listed)', count)
  .addOption(
    new Option('--precision <bits>', 'precision of the frozen weights').choices(['int4', 'int8']).default('int4'),
  )
  .option('--rank <n>', 'rank of the adapter', count, 16)
  .option('--prompt <n>', 'tokens of the longest prompt', count, 128)
  .option('--turns <n>', 'turns per trajectory', count, 2)
  .option('--turn-tokens <n>', 'tokens per turn', count, 8);
for (const option of deviceOptions('auto')) program.addOption(option);

interface Options extends DeviceOptions {
  model: string;
  layers: number;
  vocab?: number;
  precision: PackedPrecision;
  rank: number;
  prompt: number;
  turns: number;
  turnTokens: number;
}

async function main(): Promise<void> {
  const { model, layers, vocab, precision, rank, prompt, turns, turnTokens, device, threads } = program
    .parse()
    .opts<Options>();
  await playLarge({
    model,
    overrides: { layers, vocab },
    precision,
    rank,
    groups: 2,
    groupSize: 4,
    promptTokens: prompt,
    turns,
    turnTokens,
    device,
    threads,
    mostBindingBytes: 128 * 1024 * 1024,
    print: console.log,
  });
  console.log('every check passed');
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.name === 'LargeError' ? error.message : error.stack);
    process.exit(1);
  },
);
