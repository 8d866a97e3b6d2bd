/**
 * Measures rollouts over slow worlds: 64 episodes whose worlds answer after 20 ms, but one row in sixteen after 400 ms.
 * The same worlds run batch by batch (a batch is answered when its slowest world is) and row by row (a row continues
 * when its own world has answered). The policy is a fake that takes no time, so only waiting is measured.
 */
import type { Task } from '../src/envs/env.ts';
import { Conversation } from '../src/rl/episode/conversation.ts';
import { rollout } from '../src/rl/episode/rollout.ts';
import { capacity, DoorWorld, RoundPolicy } from '../tests/rl/fakes.ts';
import { tokenizer } from '../tests/rl/setup.ts';

export interface FreeRunningRow {
  name: string;
  /** Turns per second, over all rows. */
  turns: number;
  ms: number;
}

const EPISODES = 64;
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

class SlowDoors extends DoorWorld {
  constructor(private readonly freeRunning: boolean) {
    super();
  }

  override describe() {
    return { ...super.describe(), freeRunning: this.freeRunning };
  }

  override async step(slots: readonly number[], actions: readonly string[]) {
    await later(Math.max(...slots.map((slot) => (slot % 16 === 0 ? 400 : 20))));
    return super.step(slots, actions);
  }
}

async function measure(name: string, freeRunning: boolean): Promise<FreeRunningRow> {
  const world = new SlowDoors(freeRunning);
  const [task]: Task[] = await world.tasks({}, 'train');
  const policy = new RoundPolicy(tokenizer.vocabSize, capacity({ rows: EPISODES, groups: EPISODES }));
  const parts = { policy, worlds: new Map([['doors', world]]), conversation: new Conversation(tokenizer) };
  const start = performance.now();
  const trajectories = await rollout(parts, {
    tasks: Array<Task>(EPISODES * 2).fill(task),
    ...{ groupSize: 1, limit: 8, temperature: 1, maskActions: true, maxTokensPerTurn: 6, seed: 3, stream: 17 },
    rules: { invalidAction: 'continue' },
  });
  const ms = performance.now() - start;
  const turns = trajectories.reduce((sum, trajectory) => sum + trajectory.turns.length, 0);
  return { name, turns: Math.round((1000 * turns) / ms), ms: Math.round(ms) };
}

/** Measures, prints, and returns its rows. */
export async function benchFreeRunning(): Promise<FreeRunningRow[]> {
  const rows = [await measure('asked batch by batch', false), await measure('asked row by row', true)];
  for (const { name, turns, ms } of rows)
    console.log(`${name.padEnd(24)} ${String(turns).padStart(6)} turns/s  ${ms} ms`);
  return rows;
}
