/**
 * `npm run serve -- [--port 36001] [--world NAME ...] [--sessions N] [--idle SECONDS] [--origin ORIGIN ...] [--options
 * FILE]`
 */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import type { WorldOptions } from '../envs/env.ts';
import { createServer } from '../server/server.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { deviceOptions } from './node-device.ts';
import { numberIn } from './number-argument.ts';
import { repeatable } from './repeatable.ts';
import { openPolicyModel } from './served-policy.ts';
import { CommandError } from './training-run.ts';

const wholeFrom = (least: number, most: number) => (text: string) => {
  const value = numberIn(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  return value;
};

function originOf(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text)
    throw new InvalidArgumentError('It must be an origin without a path or final slash, as in http://localhost:5173.');
  return text;
}

/** Reads options by world, as in `{"search": {"articles": 200}}`. */
function readOptions(file: string): { [world: string]: WorldOptions } {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CommandError(`${file} cannot be read as options by world: ${(error as Error).message}`);
  }
}

const [device, threads] = deviceOptions('auto');
const program = new Command('serve')
  .description("Serves the worlds to other programs: AgentGym's HTTP protocol and OpenEnv's, on one port.")
  .option('--port <n>', 'port to listen on', wholeFrom(0, 65_535), 36_001)
  .option('--host <address>', 'address to listen on; 0.0.0.0 opens it to the network, without a login', '127.0.0.1')
  .addOption(
    repeatable(
      '--world <name>',
      'a world to serve; repeatable; all worlds if none is given; a single one is also served at the root',
    ),
  )
  .option('--options <file>', "JSON file of options by world; they override the protocol's")
  .addOption(
    repeatable('--policy <run>', 'a run or an exported policy that answers at /v1/chat/completions; repeatable'),
  )
  .option('--sessions <n>', 'maximum number of open sessions, over all worlds', wholeFrom(1, 1_000_000), 4096)
  .option('--idle <seconds>', 'seconds without a call after which a session is closed', wholeFrom(1, 31_536_000), 3600)
  .addOption(
    repeatable(
      '--origin <origin>',
      'origin of a page that may use the server, as in http://localhost:5173; repeatable',
      originOf,
    ),
  )
  .addOption(device)
  .addOption(threads);

/** Opens the policies. Requests choose one by its id, so ids must differ. */
async function openPolicies(paths: readonly string[], machine: Parameters<typeof openPolicyModel>[1]) {
  const opened: Awaited<ReturnType<typeof openPolicyModel>>[] = [];
  for (const path of paths) {
    const one = await openPolicyModel(path, machine);
    if (opened.some(({ model }) => model.id === one.model.id))
      throw new CommandError(`Two of these policies have the id ${one.model.id}: rename one of the runs.`);
    opened.push(one);
  }
  return opened;
}

async function main(): Promise<void> {
  program.parse();
  const { port, host, world = [], options, sessions, idle, origin = [], policy = [], ...machine } = program.opts();
  const opened = await openPolicies(policy, machine as Parameters<typeof openPolicyModel>[1]);
  const server = await createServer({
    worlds: world,
    openWorld: (name) => openGuardedWorld(name),
    ...(options && { options: readOptions(options) }),
    models: opened.map(({ model }) => model),
    sessions,
    idleSeconds: idle,
    origins: origin,
    report: (error) => console.error(error),
  });
  const address = await server.app.listen({ port, host });
  for (const { title, path } of server.served) console.log(`${title}: ${address}${path}`);
  for (const { model } of opened) console.log(`${model.id}: ${address}/v1/chat/completions`);
  console.log(`listening on ${address}, at most ${sessions} sessions, closed after ${idle} s without a call`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(
      signal,
      () =>
        void server
          .close()
          .then(() => Promise.all(opened.map((each) => each.close())))
          .finally(() => process.exit(0)),
    );
}

main().catch((error: Error) => {
  console.error(error.name === 'Error' || error.name === 'TypeError' ? error.stack : error.message);
  process.exit(1);
});
