/**
 * `npm run isa [-- --family navi33 rembrandt --kernel attention]`: compiles every form of every kernel with Mesa's RADV
 * for a GPU that is not there, and prints registers, spills and MODELLED shares of the peak, then the MODELLED time of
 * an update and of a token. `npm run bench -- --only isa` stores the same. Fails where a form is refused or spills and
 * `--strict` is given.
 */
import { Command, Option } from 'commander';
import { compileHere } from './compile.ts';
import { findDriver } from './driver.ts';
import { type Family, families } from './shares.ts';
import { modelForms, modelSteps, printForms, printStep } from './table.ts';

const names = Object.keys(families) as Family[];
const program = new Command('isa')
  .description("Compiles every form of every kernel with Mesa's RADV without a GPU; all shares and times are MODELLED.")
  .addOption(new Option('--family <names...>', 'families of GPUs').choices(names).default(names))
  .option('--kernel <prefix>', 'only kernels whose name starts with this')
  .option('--strict', 'fail where a form is refused or spills registers', false)
  .addOption(new Option('--compile <family>', 'compile forms from standard input').choices(names).hideHelp());

async function main(): Promise<number> {
  const options = program.parse().opts<{ family: Family[]; kernel?: string; strict: boolean; compile?: Family }>();
  if (options.compile) {
    await compileHere(options.compile);
    return 0;
  }
  const driver = findDriver();
  const modelled = await modelForms(driver, options.family, options.kernel);
  for (const each of modelled) printForms(each, driver);
  if (!options.kernel) for (const step of await modelSteps(modelled)) printStep(step);
  const bad = modelled.flatMap(({ compiled }) => compiled).filter(({ assembly }) => !assembly || assembly.spilled > 0);
  console.log(`\n${bad.length} forms are refused or spill registers.`);
  return options.strict && bad.length ? 1 : 0;
}

main().then(
  (status) => process.exit(status),
  (error: Error) => {
    console.error(error.name === 'DriverMissingError' ? error.message : (error.stack ?? String(error)));
    process.exit(1);
  },
);
