/**
 * `npm run plan -- MODEL|FOLDER|FILE.gguf [options]`: prints the memory, in bytes, for training a model with an adapter
 * on a GPU, without loading its weights. `npm run plan -- experiments/NAME.json`: the same for a run of an experiment on this
 * machine's adapter.
 */
import { dirname } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { kindsHelp } from '../experiment/guide.ts';
import { NodeBaseModels } from '../library/node/base-models.ts';
import { modelAt } from '../library/node/model-place.ts';
import { listedModel } from '../models/names.ts';
import { catalogue } from '../policy/catalogue.ts';
import { totalBytes } from '../policy/plan/buffers.ts';
import { defaultKeptMiB } from '../policy/plan/kept-memory.ts';
import type { Projection } from '../policy/weights/adapter.ts';
import { fail } from './command-error.ts';
import { type PlanSettings, parseTargets, planLines, planOrProblem, refusal } from './model-plan.ts';
import { wholeFrom } from './number-argument.ts';
import { planExperiment } from './plan-experiment.ts';
import { withFiles } from './recordings.ts';
import { readDocument } from './training-run.ts';

const positive = wholeFrom(1);

function targets(text: string): Projection[] {
  try {
    return parseTargets(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

const program = new Command('plan')
  .description('Prints the bytes that every part of a training run needs on a GPU, without loading the model.')
  .argument(
    '<model>',
    `a file of experiments/, for this machine's adapter; a folder of a model or a .gguf file; or ${catalogue.map(({ id }) => id).join(', ')}`,
  )
  .addOption(
    new Option('--weights <precision>', 'precision of the frozen matrices')
      .choices(['int4', 'int8', 'f32'])
      .default('int4'),
  )
  .addOption(
    new Option('--kv <precision>', 'precision of the K/V cache during decoding')
      .choices(['f32', 'int8'])
      .default('f32'),
  )
  .option('--pages <n>', 'pages of 16 tokens in the K/V cache; if there are too few, trajectories wait', positive)
  .option(
    '--kept <MiB>',
    'memory for activations: as many layers as fit keep theirs, and the backward pass computes the others again ' +
      `(default: ${defaultKeptMiB}, or less if the plan does not fit --memory with it)`,
    wholeFrom(0),
  )
  .option('--rank <n>', 'rank of the adapter', positive, 16)
  .option('--targets <names>', 'adapted projections, separated by commas, or all', targets, parseTargets('all'))
  .option('--group <n>', 'trajectories per prompt', positive, 8)
  .option('--groups <n>', 'prompts at once', positive, 1)
  .option('--prompt <n>', 'tokens of a prompt', positive, 1024)
  .option('--completion <n>', 'tokens of a trajectory after its prompt', positive, 512)
  .option('--tokens <n>', 'tokens of one training batch', positive, 2048)
  .option('--binding <bytes>', 'maximum bytes of one binding on the adapter', positive, 128 * 2 ** 20)
  .option(
    '--memory <bytes>',
    'maximum bytes in total (default: no limit, so only the limit of one binding counts)',
    positive,
  )
  .option('--buffers', 'list every buffer of every part', false)
  .addHelpText('after', kindsHelp());

type Options = Omit<PlanSettings, 'model'> & { binding: number; memory?: number; buffers: boolean };

/** A listed model, whose config is known, or one whose files are read up to their weights. */
async function plannedModel(model: string): Promise<Pick<PlanSettings, 'model' | 'config'>> {
  const place = modelAt(model);
  const listed = place.kind === 'hub' ? listedModel(model) : undefined;
  if (listed) return { model: listed.id };
  const { config } = await new NodeBaseModels().open(model, 'f32');
  return { model, config };
}

async function main(): Promise<number> {
  program.parse();
  const [named] = program.args;
  if (named.endsWith('.json')) {
    const files = await withFiles(readDocument(named), dirname(named));
    return (await planExperiment(files, console.log)) ? 0 : 1;
  }
  const { binding, memory, buffers: withBuffers, ...settings } = program.opts<Options>();
  const planned: PlanSettings = { ...(await plannedModel(named)), ...settings };
  if (planned.tokens < planned.prompt + planned.completion)
    throw new RangeError(
      `--tokens ${planned.tokens} is too small for a trajectory of --prompt ${planned.prompt} and --completion ${planned.completion}.`,
    );
  const room = { bindingBytes: binding, totalBytes: memory ?? Number.POSITIVE_INFINITY };
  const plan = planOrProblem(planned, room);
  if (typeof plan !== 'string') for (const line of planLines(plan, withBuffers)) console.log(line);
  const refused = refusal(planned, room);
  if (refused) console.log(refused);
  if (typeof plan !== 'string') console.log(`total ${totalBytes(plan)} bytes`);
  return refused ? 1 : 0;
}

// Dawn keeps the process alive, so exit explicitly.
main().then(
  (code) => process.exit(code),
  (error: Error) => fail(error, 2),
);
