/** `npm run export-world -- FILE.js --to openenv|agentgym --out FOLDER`: writes a typed world as a folder to serve. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { repositoryRoot } from '../envs/transport/wasm.ts';
import { openWorldHere } from '../library/node/worlds.ts';
import { typedWorld } from '../worlds/registry.ts';
import { CommandError, fail } from './command-error.ts';
import { ownWorldOptions, ownWorldTitle } from './own-world.ts';
import { writeFolder } from './whole-files.ts';
import { serverFiles, serverPackages } from './world-folder/server-files.ts';
import { type WorldTarget, worldFolderTexts, worldTargets } from './world-folder/text.ts';

interface Options {
  to: WorldTarget;
  out: string;
  name?: string;
}

/** Name of a package: letters, digits and underscores, a letter first. */
function packageName(title: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_\d]+|_+$/g, '');
  if (!name) throw new CommandError(`“${title}” has no letters of a to z for a name: add --name NAME.`);
  return name;
}

/** Tasks of each split. Refuses a world whose tasks fail. */
async function tasksOf(options: ReturnType<typeof ownWorldOptions>) {
  const world = await openWorldHere(typedWorld().name);
  try {
    const [train, test] = [await world.tasks(options, 'train'), await world.tasks(options, 'test')];
    return { train: train.length, test: test.length };
  } finally {
    await world.close();
  }
}

async function exportWorld(file: string, { to, out, name }: Options): Promise<void> {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new CommandError(`${out} already exists and is not empty: choose another folder.`);
  const options = ownWorldOptions(file);
  const title = name ?? ownWorldTitle(file);
  const root = await repositoryRoot();
  const facts = { name: packageName(title), title, tasks: await tasksOf(options), packages: serverPackages(root) };
  const build = serverFiles(join(root, 'build/cli'));
  const files = new Map([
    ...Object.entries(worldFolderTexts(facts, to)),
    ['world.js', String(options.code)] as const,
    ...Object.entries(build).map(([path, text]) => [join('build/cli', path), text] as const),
  ]);
  writeFolder(out, files);
  console.log(`${title}, for ${to}: ${files.size} files in ${out}`);
  console.log(`Read ${join(out, 'README.md')}: it describes how to run and use it.`);
}

const program = new Command('export-world')
  .description('Writes a typed world as a folder with its server, Dockerfile, manifest and README.')
  .argument('<file>', 'a world in JavaScript, or a .tabworld file')
  .addOption(new Option('--to <protocol>', 'programs that will use it').choices(worldTargets).makeOptionMandatory())
  .requiredOption('--out <folder>', 'new folder')
  .option('--name <name>', "name of the environment (default: the file's)");

program.parse();
exportWorld(program.args[0], program.opts<Options>()).then(() => process.exit(0), fail);
