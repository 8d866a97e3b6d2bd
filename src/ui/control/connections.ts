/**
 * Addresses and tokens of worlds on a server, as a person typed them. They stay in the memory of the page and are sent
 * to the trainer; no experiment, run, link or store contains them. An experiment from a file gets none of them until
 * the person allows it, since its requests to a server were written by somebody else.
 */
import type { ConnectionSettings } from '../../envs/module.ts';
import { everyModel } from '../../session/api/model-connection.ts';
import type { RunSummary } from '../../session/protocol.ts';

export type Settings = { readonly [world: string]: ConnectionSettings };

/** Settings with one of them changed. An empty value is removed, so that the world's default applies. */
export function withConnection(all: Settings, world: string, change: ConnectionSettings): Settings {
  const given = Object.entries({ ...all[world], ...change }).filter(([, value]) => value !== undefined && value !== '');
  const { [world]: _, ...others } = all;
  return given.length ? { ...others, [world]: Object.fromEntries(given) } : others;
}

type Origins = readonly Pick<RunSummary, 'id' | 'origin'>[];

/** Id of the imported run that this run is, or was forked from; null if there is none. */
export function importedRoot(run: Pick<RunSummary, 'id' | 'origin'> | null, runs: Origins): string | null {
  const seen = new Set<string>();
  for (let at = run; at && !seen.has(at.id); ) {
    seen.add(at.id);
    const { id, origin } = at;
    if (origin.kind === 'import') return id;
    // A run whose parent was deleted may have any origin, so it counts as imported.
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

  /** Imported run that each new run was made from. */
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

  /** Entering an address while an experiment is in focus allows that experiment to use it. */
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

  /** Settings that the trainer gets while this run is in focus. `worlds`: all worlds that may use a server. */
  settingsFor(run: string | null, worlds: readonly string[]): Settings {
    if (this.mayUse(run)) return this.settings;
    return Object.fromEntries([...worlds, everyModel].map((name) => [name, { withheld: true }]));
  }
}
