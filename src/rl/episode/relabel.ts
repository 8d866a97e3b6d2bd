/**
 * Hindsight (Andrychowicz et al., arXiv 1707.01495): an episode's actions, played again on another task of the same
 * world. The world judges: only what it accepts as a success of that task is returned.
 */
import type { Task, World } from '../../envs/env.ts';
import { playScripted, type Script } from '../../envs/scripted.ts';
import { perWorld } from './by-world.ts';
import type { Conversation } from './conversation.ts';
import { Episode } from './episode.ts';
import type { Trajectory, Turn } from './trajectory.ts';
import { type ContextRules, windowsFit } from './window.ts';

/** An episode, and the task that it may have solved. */
export interface Attempt {
  trajectory: Trajectory;
  task: Task;
}

export interface RelabelOptions {
  maskActions: boolean;
  /** Absent: each turn reads the whole episode. */
  context?: ContextRules;
  /** Maximum number of tokens of the prompt and of what follows it. */
  promptTokens: number;
  completionTokens: number;
}

interface Replayed {
  task: Task;
  slot: number;
  episode: Episode;
  /** Turns that the world accepted: a refused action changes nothing. */
  turns: readonly Turn[];
  taken: number;
  isUsable: boolean;
}

const scriptOf = ({ promptTokens }: RelabelOptions): Script<Replayed> => ({
  plays: () => true,
  asksOracle: false,
  begin({ episode, turns }, feedback, world) {
    episode.start(feedback, world, promptTokens);
    if (!episode.ended) episode.setHorizon(turns.length, null);
    return !episode.ended;
  },
  plan: () => true,
  move(row) {
    const { action, thought, reply } = row.turns[row.taken++];
    row.isUsable = row.episode.demonstrate(action, { thought, recorded: reply });
    return row.isUsable ? row.episode.action : undefined;
  },
  answer(row, feedback) {
    row.episode.takeObservation(feedback);
    return !row.episode.ended;
  },
});

/** Each attempt as a success of its task, up to the turn that reached it; null: the world does not accept it. */
export async function relabel(
  { worlds, conversation }: { worlds: ReadonlyMap<string, World>; conversation: Conversation },
  attempts: readonly Attempt[],
  options: RelabelOptions,
): Promise<(Trajectory | null)[]> {
  const { maskActions, context } = options;
  const settings = { maskActions, ...(context && { context }), rules: { invalidAction: 'continue' as const } };
  const rows = attempts.map(
    ({ task, trajectory }, slot): Replayed => ({
      task,
      slot,
      episode: new Episode(task, slot, 0, slot, conversation, settings),
      turns: trajectory.turns.filter(({ valid }) => valid),
      taken: 0,
      isUsable: true,
    }),
  );
  await perWorld(
    worlds,
    rows.filter(({ turns }) => turns.length > 0),
    (world, members) => playScripted(world, members, scriptOf(options)),
  );
  return rows.map(({ episode, isUsable }) => {
    const trajectory = episode.trajectory();
    const fits = windowsFit(trajectory, options);
    return isUsable && fits && trajectory.success ? trajectory : null;
  });
}
