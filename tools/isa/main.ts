/**
 * `npm run isa [-- --family navi33 rembrandt --kernel attention]`: compiles every form of every kernel with Mesa's RADV
 * for a GPU that is not there, and prints registers, spills and MODELLED shares of the peak, then the MODELLED time of
 * an update and of a token. `npm run bench -- --only isa` stores the same. With `--strict` it fails where a form is
 * refused, or spills and is not one of `spilling`. `--family adl` (or dg2, mtl, lnl) compiles with ANV for a GPU of
 * Intel, and prints spills and the compiler's estimates. `--sources FILE` writes the WGSL of every form instead, for other
 * compilers (`naga.py`).
 */
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { wholeFrom } from '../../src/cli/number-argument.ts';
import { kernelCode } from '../../src/device/webgpu/kernel.ts';
import { compileHere } from './compile.ts';
import { DriverMissingError, withDriver } from './driver.ts';
import { engineForms, labelOf } from './forms.ts';
import { type IntelFamily, intelFamilies, isIntel } from './intel.ts';
import { type Family, families } from './shares.ts';
import { updateTokens } from './steps.ts';
import {
  KernelUnknownError,
  type Modelled,
  modelForms,
  modelKept,
  modelSteps,
  printForms,
  printIntel,
  printKept,
  printStep,
} from './table.ts';

const modelledFamilies = Object.keys(families) as Family[];
const names = [...modelledFamilies, ...Object.keys(intelFamilies)];

/** Kernels that may spill: those with one thread a row, whose operands and sums exceed the registers at head size 64. */
const spilling = new Set(['attention_backward_query', 'attention_backward_key']);

const program = new Command('isa')
  .description(
    "Compiles every form of every kernel with Mesa's compilers without a GPU; all shares and times are MODELLED.",
  )
  .addOption(new Option('--family <names...>', 'families of GPUs').choices(names).default(modelledFamilies))
  .option('--kernel <prefix>', 'only kernels whose name starts with this')
  .option('--steps', 'only the kernels of an update and of a token', false)
  .option('--tokens <n>', `tokens of the update, a multiple of 256 (default: ${updateTokens})`, wholeFrom(256))
  .option('--sources <file>', 'write the WGSL of every form as JSON, and compile nothing')
  .option('--strict', 'fail where a form is refused or spills registers', false)
  .addOption(new Option('--compile <family>', 'compile forms from standard input').choices(names).hideHelp());

async function main(): Promise<number> {
  const options = program.parse().opts<{
    family: (Family | IntelFamily)[];
    kernel?: string;
    steps: boolean;
    tokens?: number;
    sources?: string;
    strict: boolean;
    compile?: Family | IntelFamily;
  }>();
  if (options.compile) {
    await compileHere(options.compile);
    return 0;
  }
  if (options.sources) {
    await writeSources(options.sources);
    return 0;
  }
  const which = { kernel: options.kernel, onlySteps: options.steps, tokens: options.tokens };
  const { modelled, intel } = await withDriver(async (driver) => {
    const all = await modelForms(
      driver,
      options.family.filter((name) => !isIntel(name)),
      which,
    );
    for (const each of all) printForms(each, driver);
    const printed = [];
    for (const name of options.family.filter(isIntel)) printed.push(...(await printIntel(driver, name, which)));
    return { modelled: all, intel: printed };
  });
  if (!options.kernel && modelled.length) await printSteps(modelled, options.tokens);
  const results = [
    ...modelled.flatMap(({ compiled }) => compiled).map(({ form, assembly }) => ({ form, spilled: assembly?.spilled })),
    ...intel.map(({ form, assembly }) => ({ form, spilled: assembly?.spills })),
  ];
  const bad = results.filter(({ spilled }) => spilled !== 0);
  const unexpected = bad.filter(({ form, spilled }) => spilled === undefined || !spilling.has(form.name));
  console.log(`\n${bad.length} forms are refused or spill registers, ${unexpected.length} of them unexpectedly.`);
  return options.strict && unexpected.length ? 1 : 0;
}

async function writeSources(file: string): Promise<void> {
  const forms = await engineForms();
  const written = forms.map((form) => ({
    ...{ label: labelOf(form), name: form.name },
    code: kernelCode(form.name, form.constants, form.extra),
  }));
  writeFileSync(file, JSON.stringify(written));
  console.log(`${file}: ${forms.length} forms`);
}

async function printSteps(modelled: readonly Modelled[], tokens?: number): Promise<void> {
  const steps = await modelSteps(modelled, tokens);
  for (const step of steps) printStep(step);
  printKept(await modelKept(modelled, tokens));
  if (!steps.length) console.log('\nNo times of steps: they need the family navi33 or phoenix.');
}

main().then(
  (status) => process.exit(status),
  (error: Error) => {
    const isNamed = error instanceof DriverMissingError || error instanceof KernelUnknownError;
    console.error(isNamed ? error.message : (error.stack ?? String(error)));
    process.exit(1);
  },
);
