/** `node build/cli/world-server.js world.js`: serves one typed world; the command of an exported world's folder. */
import { Command } from 'commander';
import { createServer } from '../server/server.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { typedWorld } from '../worlds/registry.ts';
import { fail } from './command-error.ts';
import { closeAtSignal, hostOf, listen } from './listening.ts';
import { wholeFrom } from './number-argument.ts';
import { ownWorldOptions } from './own-world.ts';
import { repeatable } from './repeatable.ts';

const program = new Command('world-server')
  .description("Serves a typed world by AgentGym's HTTP protocol and OpenEnv's, on one port.")
  .argument('<file>', 'a world in JavaScript, or a .tabworld file')
  .option('--port <n>', 'port to listen on', wholeFrom(0, 65_535), 8000)
  .option('--host <address>', 'address to listen on; 0.0.0.0 opens it to the network', '127.0.0.1')
  .addOption(repeatable('--allow-host <name>', 'a further host name that requests may use; repeatable', hostOf));

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
  const address = await listen(server, host, port, null);
  console.log(`listening on ${address}`);
  closeAtSignal(server);
}

main().catch(fail);
