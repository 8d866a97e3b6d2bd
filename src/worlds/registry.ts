/** Look-up of worlds by name. `worlds.ts` lists them. */
import { type World, WorldError } from '../envs/env.ts';
import { type ConnectionSettings, connectionOf, type WorldFamily, type WorldModule } from '../envs/module.ts';
import * as worlds from './worlds.ts';

const listed = Object.values<WorldModule | WorldFamily>(worlds);
const single = listed.filter((entry) => typeof entry !== 'function');
const families = listed.filter((entry) => typeof entry === 'function');

/** All worlds, sorted by title. */
export const worldModules: readonly WorldModule[] = [...single, ...families.flatMap((family) => family(single))].sort(
  (a, b) => (a.title < b.title ? -1 : 1),
);

export const worldNames: readonly string[] = worldModules.map(({ name }) => name);

/** Columns of all suites' tables, without repetition. */
export const suiteColumns: readonly string[] = [
  ...new Set([...worldModules.flatMap(({ suites = [] }) => suites.flatMap(({ columns }) => columns)), 'All']),
];

export function worldModule(name: string): WorldModule {
  const found = worldModules.find((each) => each.name === name);
  if (!found) throw new WorldError(`There is no world named "${name}". Choose one of: ${worldNames.join(', ')}.`);
  return found;
}

/** The world whose code is an option: one that a person typed. */
export function typedWorld(): WorldModule {
  const found = worldModules.find(({ codeOptions }) => codeOptions);
  if (!found) throw new WorldError('This build has no world that can be typed.');
  return found;
}

/** The world that plays a person's own files of this kind; undefined in a build without it. */
export const worldOfOwn = (kind: string): WorldModule | undefined =>
  worldModules.find(({ ownFiles }) => ownFiles?.kind === kind);

/** Check of a file by the world that plays its kind; it accepts all where there is none. */
export const checkOfOwn = async (kind: string): Promise<(text: string) => void> =>
  (await worldOfOwn(kind)?.ownFiles?.check?.()) ?? (() => {});

/** Worlds to start a typed world from, as code by name. */
export const worldTemplates = async (): Promise<{ readonly [name: string]: string }> =>
  (await typedWorld().codeTemplates?.()) ?? {};

/** Opens a world in this process, without protection against a hang. Sessions use `openWorldPool`. */
export async function openWorld(name: string, settings: ConnectionSettings = {}): Promise<World> {
  const module = worldModule(name);
  return module.open(connectionOf(module, settings));
}
