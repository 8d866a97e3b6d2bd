/** Addresses of worlds' servers, from `--connect NAME=ADDRESS` or the environment. They are never stored. */
import { InvalidArgumentError, Option } from 'commander';
import { type ConnectionSettings, mayAskServer } from '../envs/module.ts';
import { worldModules } from '../worlds/registry.ts';

export type Connections = { readonly [world: string]: ConnectionSettings };

const remoteNames = () => worldModules.filter(mayAskServer).map(({ name }) => name);

/** Parses `textcraft=http://...` and adds it to the earlier connections. */
export function readConnection(text: string, before: Connections = {}): Connections {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  if (at < 1 || !remoteNames().includes(name))
    throw new InvalidArgumentError(`It must be NAME=ADDRESS, where NAME is one of: ${remoteNames().join(', ')}.`);
  return { ...before, [name]: { ...before[name], address: text.slice(at + 1) } };
}

export const connectOption = () =>
  new Option(
    '--connect <world=address>',
    "address of a world's server; repeatable. Default: TABGYM_WORLD_ADDRESS, as in TABGYM_AGENTGYM_TEXTCRAFT_ADDRESS",
  ).argParser(readConnection);
