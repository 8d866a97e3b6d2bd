/**
 * Addresses and tokens of worlds that run on a server, as a person typed them: in this page's memory alone. They are told to the
 * trainer, and are in no experiment, no run, no link and no storage. An experiment that came from a file is told of none of them until
 * the person lets it: what it asks of a server, somebody else wrote.
 */
import type { ConnectionSettings } from '../../envs/module.ts';
import { everyModel } from '../../session/api/model-connection.ts';
import type { RunSummary } from '../../session/protocol.ts';

export type Settings = { readonly [world: string]: ConnectionSettings };

/** With one setting changed; an empty one is forgotten, and the world's own is used. */
export function withConnection(all: Settings, world: string, change: ConnectionSettings): Settings {
  const said = Object.entries({ ...all[world], ...change }).filter(([, value]) => value !== undefined && value !== '');
  const { [world]: _, ...others } = all;
  return said.length ? { ...others, [world]: Object.fromEntries(said) } : others;
}

type Origins = readonly Pick<RunSummary, 'id' | 'origin'>[];

/** The run that came from a file, of which this one is or was made; null: none did. */
export function importedRoot(run: Pick<RunSummary, 'id' | 'origin'> | null, runs: Origins): string | null {
  const seen = new Set<string>();
  for (let at = run; at && !seen.has(at.id); ) {
    seen.add(at.id);
    const { id, origin } = at;
    if (origin.kind === 'import') return id;
    // A run whose parent is gone may be anybody's.
    if (!('parent' in origin)) return null;
    const parent = runs.find((each) => each.id === origin.parent);
    if (!parent) return id;
    at = parent;
  }
  return null;
}

export class Connections {
  private settings: Settings = {};
  /** Imported runs that may use the servers. */
  private readonly allowed = new Set<string>();

  /** Runs that were made anew of an imported one. */
  private readonly roots = new Map<string, string>();

  inherit(id: string, root: string): void {
    this.roots.set(id, root);
  }

  rootOf(id: string): string | null {
    return this.roots.get(id) ?? null;
  }

  of(world: string): ConnectionSettings {
    return this.settings[world] ?? {};
  }

  /** Who types an address beside an experiment means it for that experiment. */
  change(world: string, change: ConnectionSettings, run: string | null): void {
    this.settings = withConnection(this.settings, world, change);
    this.allow(run);
  }

  allow(run: string | null): void {
    if (run !== null) this.allowed.add(run);
  }

  mayUse(run: string | null): boolean {
    return run === null || this.allowed.has(run);
  }

  /** What the trainer is told while this run is in focus. `worlds`: those that are reached over a line. */
  told(run: string | null, worlds: readonly string[]): Settings {
    if (this.mayUse(run)) return this.settings;
    return Object.fromEntries([...worlds, everyModel].map((name) => [name, { withheld: true }]));
  }
}
