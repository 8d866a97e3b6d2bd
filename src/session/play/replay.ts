/**
 * Frames of a recorded trajectory for the reader: the world before and after each turn, in a separate world.
 * Independent of policies and the store.
 */
import type { World } from '../../envs/env.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { ReplayFrame } from '../protocol.ts';
import { RecordedReplays } from './recorded-replay.ts';

/**
 * Replays the actions if the world is replayable. Otherwise returns the recorded texts, because a repeated action would
 * have its effect a second time.
 */
export function framesOf(world: World, trajectory: Trajectory): Promise<ReplayFrame[]> {
  return world.describe().replayable ? replayedFrames(world, trajectory) : Promise.resolve(recordedFrames(trajectory));
}

async function replayedFrames(world: World, trajectory: Trajectory): Promise<ReplayFrame[]> {
  const [first] = await world.reset([0], [trajectory.task]);
  const frames: ReplayFrame[] = [{ turn: -1, action: '', observation: first.observation, view: await world.view(0) }];
  for (const [turn, { action }] of trajectory.turns.entries()) {
    const [feedback] = await world.step([0], [action]);
    frames.push({ turn, action, observation: feedback.observation, view: await world.view(0) });
  }
  return frames;
}

function recordedFrames({ prompt, turns }: Trajectory): ReplayFrame[] {
  const frame = (turn: number, action: string, observation: string): ReplayFrame => ({
    turn,
    action,
    observation,
    view: { kind: 'text', text: observation },
  });
  return [frame(-1, '', prompt), ...turns.map(({ action, observation }, turn) => frame(turn, action, observation))];
}

/** Worlds for viewing recorded trajectories, separate from those that train. Each is opened at its first use. */
export class ReplayWorlds {
  private readonly worlds = new Map<string, Promise<World>>();

  /** Replays of records from files. */
  readonly recorded: RecordedReplays;

  constructor(private readonly openWorld: (name: string) => Promise<World>) {
    this.recorded = new RecordedReplays(openWorld);
  }

  async frames(trajectory: Trajectory): Promise<ReplayFrame[]> {
    return framesOf(await this.open(trajectory.task.world), trajectory);
  }

  private open(name: string): Promise<World> {
    const open = this.worlds.get(name) ?? this.openWorld(name);
    this.worlds.set(name, open);
    open.catch(() => this.worlds.delete(name));
    return open;
  }

  /** Closes the world; the next use opens a new one. */
  async forget(name: string): Promise<void> {
    await this.recorded.forget(name);
    const world = this.worlds.get(name);
    this.worlds.delete(name);
    await (await world)?.close();
  }

  async close(): Promise<void> {
    await this.recorded.close();
    for (const world of this.worlds.values()) await (await world).close();
  }
}
