/** `npm run reproduce -- table6|figure7|figure8|figure9 [--seeds 1,2,3] [--scale 0.25] [--plan] [--device wasm]` */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { fail } from './command-error.ts';
import { deviceOptions } from './node-device.ts';
import { numberIn, wholeFrom } from './number-argument.ts';
import { figureNames, type ReproductionOptions, reproduce } from './reproduction.ts';

const whole = wholeFrom(0);

const wholes = (text: string): number[] => text.split(',').map(whole);

function share(text: string): number {
  const value = numberIn(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('It must be above 0 and at most 1.');
  return value;
}

const [device, threads] = deviceOptions('auto');
const program = new Command('reproduce')
  .description(
    'Reproduces a figure of AgentGym-RL at the size of a tab: trains and evaluates its sweeps and writes the results to docs/figures. If stopped, run it again to continue.',
  )
  .addArgument(new Argument('<figure>', 'figure to reproduce').choices(figureNames))
  .option('--seeds <list>', 'seeds of each variant, separated by commas', wholes, [1, 2, 3])
  .option('--scale <share>', 'share of the steps of each run, for a quick trial', share, 1)
  .option('--plan', 'only measure, and print an estimate of the duration', false)
  .option('--work <folder>', 'folder of runs and evaluations', 'runs/reproduce')
  .option('--out <folder>', 'folder for the results', 'docs/figures')
  .addOption(device)
  .addOption(threads);

async function main(): Promise<void> {
  program.parse();
  const print = (line: string) => console.log(line);
  await reproduce({ ...program.opts(), figure: program.args[0], print } as ReproductionOptions);
}

// Dawn keeps the process alive, so exit explicitly.
main().then(() => process.exit(0), fail);
