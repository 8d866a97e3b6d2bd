/** Choices of an episode during play, and the rows of its trajectory that they become. */
import { concat } from './conversation.ts';
import type { Trajectory } from './trajectory.ts';

/** Tokens allowed at a position; none: the whole vocabulary. */
export interface Choice {
  position: number;
  allowed: Int32Array;
}

export function choiceRows(choices: readonly Choice[]): NonNullable<Trajectory['choices']> {
  const offsets = new Int32Array(choices.length + 1);
  const position = new Int32Array(choices.length);
  choices.forEach((choice, row) => {
    position[row] = choice.position;
    offsets[row + 1] = offsets[row] + choice.allowed.length;
  });
  return { position, offsets, tokens: concat(choices.map((choice) => choice.allowed)) };
}
