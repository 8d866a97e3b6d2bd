/** `npm run serve -- [--port 36001] [--world NAME ...] [--sessions N] [--idle SECONDS] [--origin ORIGIN ...] [--options FILE]` */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import type { WorldOptions } from '../envs/env.ts';
import { createServer } from '../server/server.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { deviceOptions } from './node-device.ts';
import { openPolicyModel } from './served-policy.ts';
import { CommandError } from './training-run.ts';

const wholeFrom = (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  return value;
};

const several = (value: string, before: string[]) => [...before, value];

function originOf(text: string, before: string[]): string[] {
  if (!URL.canParse(text) || new URL(text).origin !== text)
    throw new InvalidArgumentError('It must be an origin, as in http://localhost:5173: no path, no slash at its end.');
  return [...before, text];
}

/** `{"search": {"articles": 200}}`: options by world. */
function readOptions(file: string): { [world: string]: WorldOptions } {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file} holds no options: ${(error as Error).message}`);
  }
}

const [device, threads] = deviceOptions('auto');
const program = new Command('serve')
  .description("Serves the worlds to other programs: AgentGym's HTTP protocol and OpenEnv's, on one port.")
  .option('--port <n>', 'port to listen on', wholeFrom(0, 65_535), 36_001)
  .option('--host <address>', 'address to listen on; 0.0.0.0 is every one: there is no login', '127.0.0.1')
  .option('--world <name>', 'a world, also at the root; again for several (default: all)', several, [])
  .option('--options <file>', 'JSON: options by world, over those of the protocol')
  .option(
    '--policy <run>',
    'a run, or an exported policy: answers at /v1/chat/completions; again for several',
    several,
    [],
  )
  .option('--sessions <n>', 'most sessions at once, of all worlds together', wholeFrom(1, 1_000_000), 4096)
  .option('--idle <seconds>', 'a session without a call for so long is closed', wholeFrom(1, 31_536_000), 3600)
  .option('--origin <origin>', 'a page that may use it, as in http://localhost:5173; again for several', originOf, [])
  .addOption(device)
  .addOption(threads);

/** Each is asked for by its name, so no two may have the same. */
async function openPolicies(paths: readonly string[], machine: Parameters<typeof openPolicyModel>[1]) {
  const opened: Awaited<ReturnType<typeof openPolicyModel>>[] = [];
  for (const path of paths) {
    const one = await openPolicyModel(path, machine);
    if (opened.some(({ model }) => model.id === one.model.id))
      throw new CommandError(`Two of these policies are called ${one.model.id}: rename one of the runs.`);
    opened.push(one);
  }
  return opened;
}

async function main(): Promise<void> {
  program.parse();
  const { port, host, world, options, sessions, idle, origin, policy, ...machine } = program.opts();
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
