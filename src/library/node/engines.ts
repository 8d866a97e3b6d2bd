/** Engines on Node: the device, the worlds, the language models and the sandbox of this machine. Nothing is opened yet. */
import { modelSettings } from '../../session/api/model-connection.ts';
import { Assembly } from '../../session/service/assembly.ts';
import { openSandbox } from '../../workers/spawn-sandbox.ts';
import { connectionsOf, type TrainerOptions } from '../options.ts';
import { NodeBaseModels } from './base-models.ts';
import { openDevice } from './device.ts';
import { openWorldHere } from './worlds.ts';

type Settings = 'device' | 'threads' | 'connect' | 'modelKeys' | 'elsewhere' | 'patienceMs';

export interface EnginesOptions extends Pick<TrainerOptions, Settings> {
  /** False: an experiment with code of its own is refused. Default: true. */
  sandbox?: boolean;
}

/** `connections`: settings of worlds and served models by name, which may change while the engines are used. */
export function nodeEngines(options: EnginesOptions = {}, connections = connectionsOf(options)): Assembly {
  const { device, threads, elsewhere, patienceMs, sandbox = true } = options;
  return new Assembly({
    machine: { open: () => openDevice({ device, threads }) },
    openWorld: (name) => openWorldHere(name, connections.get(name), patienceMs),
    models: new NodeBaseModels(),
    modelSettings: (address, role) => modelSettings(connections, address, role),
    openSandbox: sandbox ? openSandbox : undefined,
    elsewhere,
  });
}
