/** `npm run make-model -- qwen2.5-0.5b --layers 2 --seed 1 --out FOLDER`: a random model of a listed shape, in the Hub's layout. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { catalogue, findModel } from '../policy/catalogue.ts';
import { countParameters } from '../policy/config.ts';
import { type FloatDtype, makeModel, type ShapeOverrides } from './random-model.ts';

const atLeast = (least: number) => (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
  return value;
};
const size = atLeast(1);

const program = new Command('make-model')
  .description('Writes a random model of a listed shape, for benchmarks and machines without a hub.')
  .argument('<model>', catalogue.map((entry) => entry.id).join(', '))
  .requiredOption('--out <folder>', 'where config.json, tokenizer.json and the weights are written')
  .option('--seed <n>', 'of the random weights', atLeast(0), 0)
  .addOption(new Option('--dtype <dtype>', 'of the stored weights').choices(['f32', 'f16', 'bf16']).default('bf16'))
  .option('--shard-bytes <n>', 'most bytes of one weight file (default: one file)', atLeast(1))
  .option('--layers <n>', 'instead of the listed number', size)
  .option('--hidden <n>', 'instead of the listed size', size)
  .option('--intermediate <n>', 'instead of the listed size', size)
  .option('--heads <n>', 'instead of the listed number', size)
  .option('--kv-heads <n>', 'instead of the listed number', size)
  .option('--head-dim <n>', 'instead of the listed size', size)
  .option('--vocab <n>', 'instead of the listed vocabulary', size)
  .option('--untied', 'with a head of its own');

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

main().catch((error: Error) => {
  console.error(error.name === 'Error' || error.name === 'TypeError' ? error.stack : error.message);
  process.exit(1);
});
