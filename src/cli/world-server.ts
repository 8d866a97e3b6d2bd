/** `node build/cli/world-server.js world.js`: serves one typed world; the command of an exported world's folder. */
import { Command } from 'commander';
import { exposureWarning, listenProblem } from '../server/door.ts';
import { createServer } from '../server/server.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { typedWorld } from '../worlds/registry.ts';
import { CommandError } from './command-error.ts';
import { wholeFrom } from './number-argument.ts';
import { ownWorldOptions } from './own-world.ts';
import { repeatable } from './repeatable.ts';

const program = new Command('world-server')
  .description("Serves a typed world by AgentGym's HTTP protocol and OpenEnv's, on one port.")
  .argument('<file>', 'a world in JavaScript, or a .tabworld file')
  .option('--port <n>', 'port to listen on', wholeFrom(0, 65_535), 8000)
  .option('--host <address>', 'address to listen on; 0.0.0.0 opens it to the network', '127.0.0.1')
  .addOption(repeatable('--allow-host <name>', 'a further host name that requests may use; repeatable', String));

async function main(): Promise<void> {
  program.parse();
  const { port, host, allowHost } = program.opts();
  const world = typedWorld().name;
  const server = await createServer({
    worlds: [world],
    openWorld: (name) => openGuardedWorld(name),
    options: { [world]: ownWorldOptions(program.args[0]) },
    models: [],
    sessions: 4096,
    idleSeconds: 3600,
    origins: [],
    hosts: allowHost ?? [],
    host,
    report: (error) => console.error(error),
  });
  const warning = exposureWarning(host, null);
  if (warning) console.error(warning);
  const address = await server.app.listen({ port, host }).catch((error: NodeJS.ErrnoException) => {
    const problem = listenProblem(error, host, port);
    throw problem ? new CommandError(problem) : error;
  });
  console.log(`listening on ${address}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void server.close().finally(() => process.exit(0)));
}

main().catch((error: Error) => {
  console.error(error instanceof CommandError ? error.message : error.stack);
  process.exit(1);
});
