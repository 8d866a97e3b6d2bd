/**
 * `npm run test:agents`: checks that each recipe of agents/ still makes an agent. A shortened form of its first
 * experiment, of twenty minutes at most on two cores, must reach the held-out success that the recipe states. An
 * interrupted run continues where it stopped.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { type AgentRecipe, readRecipe, recipeNames } from '../../src/cli/agents/recipe.ts';
import { type DeviceOptions, deviceOptions } from '../../src/cli/node-device.ts';
import { formatRate, three } from '../../src/cli/report.ts';
import { readDocument } from '../../src/cli/training-run.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { writePath } from '../../src/experiment/paths.ts';
import { trainToEnd } from '../learn/trained.ts';

const program = new Command('test:agents')
  .description('Trains agents by shortened recipes and checks that each reaches the success stated in its recipe.')
  .argument('[names...]', 'agents to train (default: all whose recipe has a short form)')
  .option('--out <folder>', 'folder of the runs', 'runs/test-agents');
for (const option of deviceOptions('wasm')) program.addOption(option);

interface Options extends DeviceOptions {
  out: string;
}

/** Writes the shortened experiment beside its run and returns its path. */
function shortened({ experiments, short }: AgentRecipe, folder: string): string {
  const document = Object.entries(short!.changes).reduce(
    (made, [path, value]) => writePath(made, path, value),
    readDocument(experiments[0]),
  );
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'experiment.json');
  writeFileSync(file, `${JSON.stringify(parseExperiment(document), null, 2)}\n`);
  return file;
}

async function passes(recipe: AgentRecipe, { out, ...device }: Options): Promise<boolean> {
  const folder = join(out, recipe.name);
  const quiet = (line: string) => (line.startsWith('step ') ? undefined : console.log(line));
  const { records } = await trainToEnd({
    ...device,
    file: shortened(recipe, folder),
    out: folder,
    print: quiet,
  });
  const test = records.at(-1)?.evaluation?.test;
  const { atLeast } = recipe.short!;
  const minutes = records.reduce((sum, { metrics }) => sum + (metrics.stepMs ?? 0), 0) / 60_000;
  if (!test) console.log(`${recipe.name}: the run does not end with an evaluation`);
  const ok = test !== undefined && test.policy.rate >= atLeast && test.policy.low > test.chance.rate;
  if (test)
    console.log(
      `${ok ? 'ok' : 'FAILED'}  ${recipe.name}: held-out success ${formatRate(test.policy)}, required ${three(atLeast)} and more than chance (${three(test.chance.rate)}), after ${minutes.toFixed(1)} minutes of steps`,
    );
  return ok;
}

async function main(): Promise<number> {
  program.parse();
  const names = program.args.length ? program.args : recipeNames();
  const recipes = names.map(readRecipe).filter(({ short }) => short);
  let failed = recipes.length ? 0 : 1;
  if (!recipes.length) console.log(`None of ${names.join(', ')} has a short form in its recipe.`);
  for (const recipe of recipes) if (!(await passes(recipe, program.opts<Options>()))) failed += 1;
  return failed ? 1 : 0;
}

// Dawn keeps the process alive, so exit explicitly.
main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(error.name === 'Error' || error.name === 'TypeError' ? error.stack : error.message);
    process.exit(1);
  },
);
