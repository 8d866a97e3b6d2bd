/** `npm run reproduce -- table6|figure7|figure8|figure9 [--seeds 1,2,3] [--scale 0.25] [--plan] [--device wasm]` */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { deviceOptions } from './node-device.ts';
import { figureNames, type ReproducingOptions, reproduce } from './reproduction.ts';

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number from 0.');
  return value;
}

const wholes = (text: string): number[] => text.split(',').map(whole);

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('It must be above 0 and at most 1.');
  return value;
}

const [device, threads] = deviceOptions('auto');
const program = new Command('reproduce')
  .description(
    "A figure of AgentGym-RL's at the size of a tab: its sweeps are trained, evaluated and written to docs/figures. The same command goes on.",
  )
  .addArgument(new Argument('<figure>', 'which').choices(figureNames))
  .option('--seeds <list>', 'of each variant, with commas between', wholes, [1, 2, 3])
  .option('--scale <share>', 'of the steps of each run: a trial of the figure', share, 1)
  .option('--plan', 'only measure, and print how long it takes', false)
  .option('--work <folder>', 'where runs and evaluations are kept', 'runs/reproduce')
  .option('--out <folder>', 'where the results are written', 'docs/figures')
  .addOption(device)
  .addOption(threads);

async function main(): Promise<void> {
  program.parse();
  const print = (line: string) => console.log(line);
  await reproduce({ ...program.opts(), figure: program.args[0], print } as ReproducingOptions);
}

// Dawn keeps the process alive: it is ended explicitly.
main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.name === 'Error' || error.name === 'TypeError' ? error.stack : error.message);
    process.exit(1);
  },
);
