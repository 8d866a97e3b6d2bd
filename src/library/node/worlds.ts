/** Worlds on Node as sessions use them: each in a thread, or on its server, with bounds on times and lengths. */
import type { World } from '../../envs/env.ts';
import type { ConnectionSettings } from '../../envs/module.ts';
import { openGuardedWorld, settingsFromEnvironment } from '../../workers/spawn-world.ts';

/** `settings` override those of the environment. `patienceMs`: time limit for a thread's answer, if not the usual one. */
export const openWorldHere = (name: string, settings?: ConnectionSettings, patienceMs?: number): Promise<World> =>
  openGuardedWorld(name, { ...settingsFromEnvironment(name), ...settings }, patienceMs);
