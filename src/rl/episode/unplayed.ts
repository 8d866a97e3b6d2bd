/**
 * Episodes that show nothing about the policy: their world failed, or a turn did not fit into the tokens allowed. They
 * count in no rate, and a run that has only such episodes stops with a named error.
 */
import type { Task, World } from '../../envs/env.ts';
import { groupBy } from '../common/numbers.ts';
import { worldNamed } from './by-world.ts';
import type { Trajectory } from './trajectory.ts';

/** A world failed in every episode that it ended. */
export class WorldFailsError extends Error {
  override name = 'WorldFailsError';
}

/** No episode fits the tokens that it may take. */
export class NoRoomError extends Error {
  override name = 'NoRoomError';
}

/** First episodes of a world, by the order in which they begin, that decide whether it can be played. */
const firstEpisodes = 16;

/** An episode that will be played; keys differ between episodes. */
export interface Planned {
  task: Task;
  key: number;
}

interface Tally {
  title: string;
  /** Number of the world's first episodes, which are watched for failures. */
  first: number;
  /** Keys of the first episodes that have not failed. */
  undecided: Set<number>;
  /** True once an episode was played. */
  plays: boolean;
  /** True if an earlier attempt at the same episodes had room for one. */
  hadRoom: boolean;
}

const ofEpisodes = (count: number) => (count === 1 ? 'its only episode' : `each of its first ${count} episodes`);

/**
 * Throws as soon as all first episodes of a world could not be played. Those that begin first are counted, not those
 * that end first: a server with few places refuses the others at once, while these are still played.
 */
export class UnplayedWatch {
  private readonly tallies = new Map<string, Tally>();

  /** `planned`: in the order in which they begin. */
  constructor(worlds: ReadonlyMap<string, World>, planned: readonly Planned[]) {
    for (const [name, own] of groupBy(planned, ({ task }) => task.world)) {
      const { title } = worldNamed(worlds, name).describe();
      const keys = own.slice(0, firstEpisodes).map(({ key }) => key);
      this.tallies.set(name, { title, first: keys.length, undecided: new Set(keys), plays: false, hadRoom: false });
    }
  }

  played({ task }: Planned): void {
    const tally = this.tallies.get(task.world);
    if (tally) tally.plays = true;
  }

  /** Takes over that an earlier attempt had room for an episode of this task's world. */
  keptPlayed({ world }: Task): void {
    const tally = this.tallies.get(world);
    if (tally) tally.hadRoom = true;
  }

  failed(episode: Planned, failure: string): void {
    const tally = this.decidedTally(episode);
    if (tally)
      throw new WorldFailsError(
        `${tally.title} failed in ${ofEpisodes(tally.first)}. ${failure} Start or mend the world, then continue: everything before is kept.`,
      );
  }

  hadNoRoom(episode: Planned, words: string): void {
    const tally = this.decidedTally(episode);
    if (tally && !tally.hadRoom)
      throw new NoRoomError(
        `The model has no room for the first turn of ${tally.title} in ${ofEpisodes(tally.first)}: ${words.replace(/\.$/, '')}. Give the model more context, or allow fewer tokens per reply.`,
      );
  }

  /** Tally of the episode's world if this was the last of its first episodes and none could be played; else null. */
  private decidedTally({ task, key }: Planned): Tally | null {
    const tally = this.tallies.get(task.world);
    if (!tally?.undecided.delete(key)) return null;
    return !tally.plays && tally.undecided.size === 0 ? tally : null;
  }
}

/** True if the episode shows something about the policy. */
export const isPlayed = ({ ending }: Pick<Trajectory, 'ending'>): boolean =>
  ending !== 'world-failure' && ending !== 'context';

export interface Room {
  promptTokens: number;
  completionTokens: number;
}

/** Throws NoRoomError if every episode whose world did not fail ended for lack of room. `what`: names the episodes. */
export function requireRoom(trajectories: readonly Trajectory[], room: Room, what: string): void {
  const words = noRoomWords(trajectories, room, what);
  if (words !== null) throw new NoRoomError(words);
}

/** Sentences that say that no episode had room, and what to change; null: one had, or every world failed. */
export function noRoomWords(trajectories: readonly Trajectory[], room: Room, what: string): string | null {
  const inWorlds = trajectories.filter(({ ending }) => ending !== 'world-failure');
  if (inWorlds.length === 0 || inWorlds.some(isPlayed)) return null;
  const longest = Math.max(...inWorlds.map(({ promptLength }) => promptLength));
  const advice =
    longest > room.promptTokens
      ? `A prompt has ${longest} tokens, and sampling.promptTokens is ${room.promptTokens}: choose at least ${longest}.`
      : `sampling.completionTokens is ${room.completionTokens}, for all turns of an episode: choose more, or fewer turns.`;
  return `No episode ${what} fits into its tokens. ${advice}`;
}

/** A sentence for each world and reason of failed episodes. */
export function failureWords(
  trajectories: readonly Pick<Trajectory, 'task' | 'ending' | 'failure'>[],
  worlds: ReadonlyMap<string, World>,
): string[] {
  const failed = trajectories.filter(({ ending }) => ending === 'world-failure');
  const byWorld = groupBy(failed, ({ task }) => task.world);
  return [...byWorld].map(([name, members]) => {
    const { title } = worldNamed(worlds, name).describe();
    const all = trajectories.filter(({ task }) => task.world === name).length;
    return `${title} failed in ${members.length} of ${all} episodes, which are not counted. ${members[0].failure ?? ''}`.trim();
  });
}
