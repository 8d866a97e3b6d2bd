/** `node build/cli/world-server.js world.js`: serves one typed world; the command of an exported world's folder. */
import { Command } from 'commander';
import { serve } from '../library/server.ts';
import { typedWorld } from '../worlds/registry.ts';
import { fail } from './command-error.ts';
import { closeAtSignal, hostOf, started } from './listening.ts';
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
  const start = () =>
    serve({
      worlds: [world],
      options: { [world]: ownWorldOptions(program.args[0]) },
      ...{ hosts: allowHost, host, port },
      report: (error) => console.error(error),
    });
  const server = await started(start, { host, port, token: null });
  console.log(`listening on ${server.address}`);
  closeAtSignal(server);
}

main().catch(fail);
