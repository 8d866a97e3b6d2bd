/** Converts a turn to a live event for the page, and plays an episode slowly enough for a person to follow. */
import type { TurnEvent } from '../../rl/episode/turn-event.ts';
import type { Evaluator } from '../../rl/evaluator.ts';
import type { StepOptions, WatchOptions } from '../engine.ts';
import type { LiveTurn } from '../protocol.ts';

export async function liveTurn({ world, slot, ...event }: TurnEvent & { step: number }): Promise<LiveTurn> {
  const { step, group, member, turn, horizon, action, thought, reply, observation, reward, done } = event;
  const view = await world.view(slot).catch(() => null);
  return { step, group, member, turn, horizon, action, thought, reply, observation, reward, done, view };
}

/** Plays one episode without training, with a pause of `turnMs` after each turn. */
export async function watchEpisode(
  evaluator: Evaluator,
  { turnMs, step, ...watched }: WatchOptions,
  options: StepOptions,
): Promise<void> {
  const onTurn = async (event: TurnEvent & { step: number }) => {
    options.onTurn?.(await liveTurn(event));
    options.signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, turnMs));
  };
  await evaluator.watch(step, watched, { signal: options.signal, onTurn });
}
