/** Where the servers of worlds are, as a command is told: `--connect NAME=ADDRESS`, else the environment. Written nowhere. */
import { InvalidArgumentError, Option } from 'commander';
import type { World } from '../envs/env.ts';
import { type ConnectionSettings, mayAskServer } from '../envs/module.ts';
import { openGuardedWorld, settingsFromEnvironment } from '../workers/spawn-world.ts';
import { worldModules } from '../worlds/registry.ts';

export type Connections = { readonly [world: string]: ConnectionSettings };

const reachedNames = () => worldModules.filter(mayAskServer).map(({ name }) => name);

/** `textcraft=http://...` into what was said before. */
export function readConnection(text: string, before: Connections = {}): Connections {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  if (at < 1 || !reachedNames().includes(name))
    throw new InvalidArgumentError(`It must be NAME=ADDRESS, with a world of: ${reachedNames().join(', ')}.`);
  return { ...before, [name]: { ...before[name], address: text.slice(at + 1) } };
}

export const connectOption = () =>
  new Option(
    '--connect <world=address>',
    'where the server of a world is; once for each. Else TABGYM_WORLD_ADDRESS, as in TABGYM_AGENTGYM_TEXTCRAFT_ADDRESS',
  ).argParser(readConnection);

/** Opens worlds with these settings over those of the environment. */
export const openingWorlds =
  (connections: Connections = {}, patienceMs?: number) =>
  (name: string): Promise<World> =>
    openGuardedWorld(name, { ...settingsFromEnvironment(name), ...connections[name] }, patienceMs);
