/**
 * `npm run agents -- NAME [--now] [--work FOLDER] [--site FOLDER]`: trains, measures and ships the agent of
 * agents/NAME.json.
 */
import { join } from 'node:path';
import { Command } from 'commander';
import { trainParts } from './agents/parts.ts';
import { readRecipe, recipeNames } from './agents/recipe.ts';
import { rewriteCard, ship } from './agents/ship.ts';
import { fail } from './command-error.ts';
import { type DeviceOptions, deviceOptions } from './node-device.ts';

const program = new Command('agents')
  .description(
    'Trains an agent by its recipe, plays its suites, and writes its folder of the site. If stopped, run it again to continue. Agents: ' +
      recipeNames().join(', '),
  )
  .argument('<name>', 'a file of agents/, without .json')
  .option('--now', 'ship the steps trained so far, without training further; the card mentions it', false)
  .option('--suites <list>', 'play only these of its suites, separated by commas: for an interim look')
  .option('--card', 'only write the card of the shipped agent again, with the sentences of its recipe', false)
  .option('--train-only', 'train only, without shipping', false)
  .option('--model <model>', 'language model in place of the one named in its experiments: a folder or a .gguf file')
  .option('--work <folder>', 'folder of its runs (default: runs/agents/NAME)')
  .option('--site <folder>', "the site's folder of agents", 'public/agents')
  .option('--seed <n>', 'seed for sampling in the suites', Number, 1);
for (const option of deviceOptions('wasm')) program.addOption(option);

interface Options extends DeviceOptions {
  now: boolean;
  card: boolean;
  trainOnly: boolean;
  suites?: string;
  model?: string;
  work?: string;
  site: string;
  seed: number;
}

async function main(): Promise<number> {
  program.parse();
  const { now, card, trainOnly, suites, model, work, site, seed, device, threads } = program.opts<Options>();
  const whole = readRecipe(program.args[0]);
  if (card) {
    const { name, gain } = rewriteCard(whole, site);
    console.log(`${join(site, name)}: agent.json and card.md${gain ? ', with the gain by reward' : ''}`);
    return 0;
  }
  const chosen = suites?.split(',');
  const recipe = { ...whole, suites: whole.suites.filter(({ name }) => chosen?.includes(name) ?? true) };
  const print = (line: string) => console.log(line);
  const folder = work ?? join('runs/agents', recipe.name);
  const { experiments } = recipe;
  const training = await trainParts({ experiments, out: folder, model, now, device, threads, print });
  if (!training) return 1;
  if (trainOnly) return 0;
  const agent = await ship(recipe, training, { work: folder, site, seed, device, threads, print });
  print(
    `${join(site, agent.name)}: ${agent.file} (${(agent.bytes / 1e6).toFixed(2)} MB), agent.json, card.md, curves.svg`,
  );
  return 0;
}

// Dawn keeps the process alive, so exit explicitly.
main().then((code) => process.exit(code), fail);
