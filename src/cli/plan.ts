/**
 * `npm run plan -- MODEL [options]`: what training a listed model with an adapter needs on a GPU, in bytes, without loading it.
 * `npm run plan -- experiments/NAME.json`: what a run of an experiment needs on this machine's adapter.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { kindsHelp } from '../experiment/guide.ts';
import { catalogue, findModel } from '../policy/catalogue.ts';
import { totalBytes } from '../policy/plan/buffers.ts';
import type { Projection } from '../policy/weights/adapter.ts';
import { type PlanSettings, parseTargets, planLines, planOrProblem, refusal } from './model-plan.ts';
import { planExperiment } from './plan-experiment.ts';
import { readDocument } from './training-run.ts';

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

function targets(text: string): Projection[] {
  try {
    return parseTargets(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

const program = new Command('plan')
  .description('Prints what every part of a training run needs on a GPU, in bytes, without loading the model.')
  .argument(
    '<model>',
    `a file of experiments/, for this machine's adapter, or ${catalogue.map(({ id }) => id).join(', ')}`,
  )
  .addOption(
    new Option('--weights <precision>', 'of the frozen matrices').choices(['int4', 'int8', 'f32']).default('int4'),
  )
  .addOption(new Option('--kv <precision>', "of decoding's K/V cache").choices(['f32', 'int8']).default('f32'))
  .option('--pages <n>', 'of 16 tokens of the K/V cache; fewer than all need: trajectories wait', positive)
  .option('--rank <n>', 'of the adapter', positive, 16)
  .option('--targets <names>', 'adapted projections, with commas between, or all', targets, parseTargets('all'))
  .option('--group <n>', 'trajectories of one prompt', positive, 8)
  .option('--groups <n>', 'prompts at once', positive, 1)
  .option('--prompt <n>', 'tokens of a prompt', positive, 1024)
  .option('--completion <n>', 'tokens of a trajectory after its prompt', positive, 512)
  .option('--tokens <n>', 'tokens of one training batch', positive, 2048)
  .option('--binding <bytes>', 'most bytes that the adapter binds at once', positive, 128 * 2 ** 20)
  .option(
    '--memory <bytes>',
    'most bytes in all: more is refused; left out: nothing is too much, only what one binding holds counts',
    positive,
  )
  .option('--buffers', 'every buffer of every part', false)
  .addHelpText('after', kindsHelp());

type Options = Omit<PlanSettings, 'model'> & { binding: number; memory?: number; buffers: boolean };

async function main(): Promise<number> {
  program.parse();
  const [named] = program.args;
  if (named.endsWith('.json')) return (await planExperiment(readDocument(named), console.log)) ? 0 : 1;
  const { binding, memory, buffers: withBuffers, ...settings } = program.opts<Options>();
  const model = findModel(named).id;
  const asked: PlanSettings = { model, ...settings };
  if (asked.tokens < asked.prompt + asked.completion)
    throw new RangeError(
      `--tokens ${asked.tokens} is less than a trajectory may have: --prompt ${asked.prompt} and --completion ${asked.completion}.`,
    );
  const room = { bindingBytes: binding, totalBytes: memory ?? Number.POSITIVE_INFINITY };
  const plan = planOrProblem(asked, binding);
  if (typeof plan !== 'string') for (const line of planLines(plan, withBuffers)) console.log(line);
  const refused = refusal(asked, room);
  if (refused) console.log(refused);
  if (typeof plan !== 'string') console.log(`total ${totalBytes(plan)} bytes`);
  return refused ? 1 : 0;
}

// Dawn keeps the process alive: it is ended explicitly.
main().then(
  (code) => process.exit(code),
  ({ name, message, stack }: Error) => {
    console.error(name === 'Error' || name === 'TypeError' ? stack : message);
    process.exit(2);
  },
);
