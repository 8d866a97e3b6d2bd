/**
 * `npm run serve -- [--port 36001] [--world NAME ...] [--sessions N] [--idle SECONDS] [--origin ORIGIN ...] [--options
 * FILE] [--host ADDRESS] [--allow-host NAME ...] [--token TOKEN]`
 */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { WorldOptions } from '../envs/env.ts';
import { tokenForm } from '../server/door.ts';
import { createServer } from '../server/server.ts';
import { openGuardedWorld } from '../workers/spawn-world.ts';
import { typedWorld } from '../worlds/registry.ts';
import { fail } from './command-error.ts';
import { closeAtSignal, hostOf, listen } from './listening.ts';
import { deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
import { ownWorldOptions } from './own-world.ts';
import { repeatable } from './repeatable.ts';
import { openPolicyModel } from './served-policy.ts';
import { CommandError } from './training-run.ts';

function originOf(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text)
    throw new InvalidArgumentError('It must be an origin without a path or final slash, as in http://localhost:5173.');
  return text;
}

function tokenOf(text: string): string {
  if (!tokenForm.test(text))
    throw new InvalidArgumentError('It must have 16 to 128 characters of A-Z, a-z, 0-9, _ and -.');
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
  .option('--host <address>', 'address to listen on; 0.0.0.0 opens it to the network', '127.0.0.1')
  .addOption(
    repeatable('--allow-host <name>', 'a further host name of this machine that requests may use; repeatable', hostOf),
  )
  .addOption(
    new Option('--token <token>', 'token that each request needs, as first part of its path or as a bearer token')
      .argParser(tokenOf)
      .env('TABGYM_SERVE_TOKEN'),
  )
  .addOption(
    repeatable(
      '--world <name>',
      'a world to serve; repeatable; all worlds if none is given; a single one is also served at the root',
    ),
  )
  .option('--world-file <file>', 'serve the typed world of this file, which runs in a sandbox')
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
  const {
    port,
    host,
    world = [],
    worldFile,
    options,
    sessions,
    idle,
    origin = [],
    policy = [],
    ...others
  } = program.opts();
  const { allowHost = [], token, ...machine } = others;
  const opened = await openPolicies(policy, machine as Parameters<typeof openPolicyModel>[1]);
  const server = await createServer({
    worlds: worldFile ? [...world, typedWorld().name] : world,
    openWorld: (name) => openGuardedWorld(name),
    options: {
      ...(options && readOptions(options)),
      ...(worldFile && { [typedWorld().name]: ownWorldOptions(worldFile) }),
    },
    models: opened.map(({ model }) => model),
    sessions,
    idleSeconds: idle,
    origins: origin,
    hosts: allowHost,
    host,
    token,
    report: (error) => console.error(error),
  });
  const address = await listen(server, host, port, token ?? null);
  const base = token ? `${address}/${token}` : address;
  for (const { title, path } of server.served) console.log(`${title}: ${base}${path}`);
  for (const { model } of opened) console.log(`${model.id}: ${base}/v1/chat/completions`);
  console.log(`listening on ${address}, at most ${sessions} sessions, closed after ${idle} s without a call`);
  closeAtSignal(server, () => Promise.all(opened.map((each) => each.close())));
}

main().catch(fail);
