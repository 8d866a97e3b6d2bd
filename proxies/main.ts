/** `npm run proxy -- --config FILE` and `npm run proxy -- index FILE...` */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { defaultFolder } from '../src/corpus/store-folder.ts';
import { WorldError } from '../src/envs/env.ts';
import { exposureWarning, listenProblem } from '../src/server/door.ts';
import { ConfigError, readConfigFile } from './config.ts';
import { HostError } from './network/hosts.ts';
import { buildIndex, indexSummary } from './retrieval/build-index.ts';
import { type OpenedProxy, openProxy } from './service.ts';

/** Errors whose message already states what to do; they are printed without a stack. */
const expectedErrors = [ConfigError, HostError, WorldError];

/** Prints only the first line of a message: further lines of a library's message may contain an address. */
const report = ({ name, message }: Error) => console.error(`${name}: ${message.split('\n')[0].slice(0, 300)}`);

const versionOf = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

function printAddresses({ parts, token }: OpenedProxy, address: string): void {
  for (const { path, title, notes } of parts) {
    console.log(`${title}: ${address}/${token}${path}`);
    for (const note of notes) console.log(`  ${note}`);
  }
  console.log(
    'Paste an address into the page beside its world. Anyone who has it can use the proxy: it contains the token.',
  );
}

async function serve(file: string): Promise<void> {
  const config = readConfigFile(file);
  const proxy = await openProxy(config, { version: versionOf(), report });
  const { host, port } = config;
  const warning = exposureWarning(host, proxy.token);
  if (warning) console.error(warning);
  const address = await proxy.app.listen({ host, port }).catch(async (error: Error) => {
    await proxy.close();
    const problem = listenProblem(error, host, port);
    throw problem ? new ConfigError(problem) : error;
  });
  printAddresses(proxy, address);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void proxy.close().finally(() => process.exit(0)));
}

async function index(files: string[], name: string, folder: string): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const result = await buildIndex({ name, folder, files, signal: stop.signal, print: (line) => console.log(line) });
  console.log(indexSummary(result, name));
}

const program = new Command('proxy').description(
  'Connects a page to services that it cannot reach: a WebArena installation, a corpus or a search server, servers that send no CORS headers.',
);
program
  .command('serve', { isDefault: true })
  .description('Starts the proxy.')
  .requiredOption('--config <file>', 'configuration as JSON (docs/proxy.md)')
  .action(({ config }: { config: string }) => serve(config));

program
  .command('index <files...>')
  .description(
    'Builds an index on disk for "retrieval", or resumes it: from JSON lines (plain or .gz) or a folder of texts.',
  )
  .requiredOption('--name <name>', 'name of the corpus')
  .option('--folder <folder>', 'folder of all corpora (default: TABGYM_CORPORA)', defaultFolder())
  .action((files: string[], { name, folder }: { name: string; folder: string }) => index(files, name, folder));

program.parseAsync().catch((error: Error) => {
  console.error(expectedErrors.some((kind) => error instanceof kind) ? error.message : error.stack);
  process.exit(1);
});
