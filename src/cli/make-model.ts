/**
 * `npm run make-model -- qwen2.5-0.5b --layers 2 --seed 1 --out FOLDER`: writes a random model of a listed shape, in
 * the Hub's layout.
 */
import { Command, Option } from 'commander';
import { catalogue, findModel } from '../policy/catalogue.ts';
import { countParameters } from '../policy/config.ts';
import { fail } from './command-error.ts';
import { wholeFrom } from './number-argument.ts';
import { type FloatDtype, makeModel, type ShapeOverrides } from './random-model.ts';

const size = wholeFrom(1);

const program = new Command('make-model')
  .description('Writes a random model of a listed shape, for benchmarks and machines without access to the Hub.')
  .argument('<model>', catalogue.map((entry) => entry.id).join(', '))
  .requiredOption('--out <folder>', 'folder for config.json, tokenizer.json and the weights')
  .option('--seed <n>', 'seed of the random weights', wholeFrom(0), 0)
  .addOption(
    new Option('--dtype <dtype>', 'type of the stored weights').choices(['f32', 'f16', 'bf16']).default('bf16'),
  )
  .option('--shard-bytes <n>', 'maximum bytes per weight file (default: one file)', wholeFrom(1))
  .option('--layers <n>', 'number of layers (default: as listed)', size)
  .option('--hidden <n>', 'hidden size (default: as listed)', size)
  .option('--intermediate <n>', 'intermediate size (default: as listed)', size)
  .option('--heads <n>', 'number of attention heads (default: as listed)', size)
  .option('--kv-heads <n>', 'number of key/value heads (default: as listed)', size)
  .option('--head-dim <n>', 'size of a head (default: as listed)', size)
  .option('--vocab <n>', 'vocabulary size (default: as listed)', size)
  .option('--untied', 'output head separate from the embedding');

type Options = ShapeOverrides & { out: string; seed: number; dtype: FloatDtype; shardBytes?: number; untied?: true };

async function main(): Promise<void> {
  program.parse();
  const { out, seed, dtype, shardBytes, untied, ...shape } = program.opts<Options>();
  const overrides = { ...shape, ...(untied ? { tied: false } : {}) };
  const config = await makeModel(findModel(program.args[0]), {
    out,
    seed,
    dtype,
    shardBytes,
    overrides,
    print: console.log,
  });
  console.log(`${out}: ${countParameters(config)} parameters in ${dtype}, seed ${seed}`);
}

main().catch(fail);
