/** Opens the worlds of a run together, and closes them if the run cannot be opened. */
import type { World } from '../envs/env.ts';
import type { Experiment } from '../experiment/experiment.ts';

export type OpenWorld = (name: string) => Promise<World>;
export type Worlds = ReadonlyMap<string, World>;

async function openWorlds({ worlds }: Experiment, openWorld: OpenWorld): Promise<Worlds> {
  const open = new Map<string, World>();
  try {
    for (const { name } of worlds) if (!open.has(name)) open.set(name, await openWorld(name));
    return open;
  } catch (error) {
    await closeWorlds(open);
    throw error;
  }
}

export async function closeWorlds(worlds: Worlds): Promise<void> {
  for (const world of worlds.values()) await world.close();
}

/** Builds a value from the experiment's worlds; closes the worlds if building it fails. */
export async function withWorlds<Made>(
  experiment: Experiment,
  openWorld: OpenWorld,
  make: (worlds: Worlds) => Promise<Made>,
): Promise<Made> {
  const worlds = await openWorlds(experiment, openWorld);
  try {
    return await make(worlds);
  } catch (error) {
    await closeWorlds(worlds);
    throw error;
  }
}
