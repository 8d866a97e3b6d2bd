/**
 * `npm run serve -- [--port 36001] [--world NAME ...] [--sessions N] [--idle SECONDS] [--origin ORIGIN ...] [--options
 * FILE] [--policy RUN ...] [--train FOLDER] [--host ADDRESS] [--allow-host NAME ...] [--token TOKEN]`
 */
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { WorldOptions } from '../envs/env.ts';
import { type Policy, serve } from '../library/server.ts';
import { tokenForm } from '../server/door.ts';
import { typedWorld } from '../worlds/registry.ts';
import { CommandError, fail } from './command-error.ts';
import { closeAtSignal, hostOf, started } from './listening.ts';
import { type DeviceOptions, deviceOptions } from './node-device.ts';
import { wholeFrom } from './number-argument.ts';
import { ownWorldOptions } from './own-world.ts';
import { repeatable } from './repeatable.ts';
import { openServedPolicy } from './served-policy.ts';
import { openTrainedPolicy } from './trained-policy.ts';

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
  .option(
    '--train <folder>',
    "clients of Tinker's SDK may train copies of the policies; the states that they save are written to this folder",
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

/** Opens the policies, by their ids, by which requests choose one. */
async function openPolicies(paths: readonly string[], machine: DeviceOptions) {
  const opened: { [id: string]: Policy } = {};
  for (const path of paths) {
    const { id, policy } = await openServedPolicy(path, machine);
    if (opened[id]) throw new CommandError(`Two of these policies have the id ${id}: rename one of the runs.`);
    opened[id] = policy;
  }
  return opened;
}

/** Opens the policies a second time, for training. */
async function openTrained(paths: readonly string[], folder: string | undefined, machine: DeviceOptions) {
  if (folder === undefined) return [];
  if (!paths.length) throw new CommandError('--train needs a policy to train: add --policy RUN.');
  return Promise.all(paths.map((path) => openTrainedPolicy(path, folder, machine)));
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
  const { allowHost = [], token, train, ...machine } = others;
  const policies = await openPolicies(policy, machine as DeviceOptions);
  const trained = await openTrained(policy, train, machine as DeviceOptions);
  const start = () =>
    serve({
      worlds: worldFile ? [...world, typedWorld().name] : world,
      options: {
        ...(options && readOptions(options)),
        ...(worldFile && { [typedWorld().name]: ownWorldOptions(worldFile) }),
      },
      trained: trained.map(({ model }) => model),
      ...{ policies, sessions, idleSeconds: idle, origins: origin, hosts: allowHost, host, port, token },
      report: (error) => console.error(error),
    });
  const server = await started(start, { host, port, token: token ?? null });
  const { address } = server;
  const base = token ? `${address}/${token}` : address;
  for (const { title, path } of server.served) console.log(`${title}: ${base}${path}`);
  for (const id of Object.keys(policies)) console.log(`${id}: ${base}/v1/chat/completions`);
  for (const { model } of trained) console.log(`${model.id}, trained by Tinker's SDK: base_url=${base}`);
  console.log(`listening on ${address}, at most ${sessions} sessions, closed after ${idle} s without a call`);
  closeAtSignal(server, () => Promise.all([...Object.values(policies), ...trained].map((each) => each.close())));
}

main().catch(fail);
