/**
 * Servers of worlds for the run in focus: the addresses and tokens that the person typed and allowed, sent to the
 * trainer whenever they change.
 */
import type { WorldOptions } from '../../envs/env.ts';
import { type ConnectionSettings, isOnServer, mayAskServer } from '../../envs/module.ts';
import type { TrainerApi } from '../../session/protocol.ts';
import { typedWorld, worldModules } from '../../worlds/registry.ts';
import type { Store } from '../state/state.ts';
import { Connections, importedRoot } from './connections.ts';

/** True if a world with these options uses a server that the person names. */
export const isReached = (name: string, options: WorldOptions): boolean => {
  const module = worldModules.find((each) => each.name === name);
  return module !== undefined && (isOnServer(module) || module.connection.asksServer?.(options) === true);
};

export class WorldServers {
  private readonly connections = new Connections();

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    /** Hashes of the code that the person allowed. */
    private readonly allowedCode: () => readonly string[],
  ) {}

  of(world: string): ConnectionSettings {
    return this.connections.of(world);
  }

  /** Key of the imported run or the link that the focus came from; null if the person made everything in focus. */
  get foreign(): string | null {
    const { run, runs, shared } = this.store.state;
    if (!run && shared) return `link ${shared.from}`;
    return (run && this.connections.rootOf(run.id)) ?? importedRoot(run, runs);
  }

  mayUse(): boolean {
    return this.connections.mayUse(this.foreign);
  }

  async change(world: string, settings: ConnectionSettings): Promise<void> {
    this.connections.change(world, settings, this.foreign);
    await this.send();
  }

  /** A new run has the origin of what is in focus. */
  inherit(id: string): void {
    const { foreign } = this;
    if (foreign !== null) this.connections.inherit(id, foreign);
  }

  async allow(): Promise<void> {
    this.connections.allow(this.foreign);
    await this.send();
  }

  /** Sends the settings to the trainer: after the focus changed, and to a new trainer. */
  async send(): Promise<void> {
    const reached = worldModules.filter(mayAskServer).map(({ name }) => name);
    const settings = this.connections.settingsFor(this.foreign, reached);
    // The code of a typed world from somebody else runs only after it was allowed, even for a plan or for play.
    const typed = this.foreign === null ? {} : { [typedWorld().name]: { allowedCode: this.allowedCode() } };
    await this.api().connect({ ...settings, ...typed });
  }
}
