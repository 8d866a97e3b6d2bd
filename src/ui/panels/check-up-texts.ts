/** Texts for the findings of a world's check-up. */
import { msg, str } from '@lit/localize';
import type { CheckedHorizon, CheckedPlayer, CheckFinding } from '../../envs/check-up.ts';
import type { WorldTokens } from '../../models/typed-experiment.ts';
import { episodeCount, tokenCount, turnCount } from '../kit/counts.ts';

const words: { [kind in CheckFinding['kind']]: (detail: string) => string } = {
  fails: (why) => msg(str`An episode fails: ${why}`),
  'never-ends': (turns) =>
    msg(str`No episode ended within ${turnCount(Number(turns))}. Return done: true from step() when it is over.`),
  unreachable: (count) => msg(str`No reward of 1, which is success, in ${episodeCount(Number(count))}.`),
  'same-reward': (reward) =>
    msg(str`Every reward is ${reward}: there is nothing to learn. Return 1 from step() for success.`),
  'oracle-fails': (share) => msg(str`The oracle succeeds in ${share}% of its episodes only.`),
  easy: (share) => msg(str`The random player already succeeds in ${share}% of its episodes: there is little to learn.`),
  'no-actions': () =>
    msg(
      'The world lists no actions: export validActions(). Without a list a tiny policy cannot start, and there is no chance to compare with.',
    ),
  unlisted: (action) => msg(str`The oracle’s action “${action}” is not in the list of validActions().`),
  refused: (action) => msg(str`The listed action “${action}” is refused.`),
  'not-deterministic': (text) =>
    msg(
      str`The same actions gave another text (“${text}”) when view() and oracle() were called in between. They must not change variables.`,
    ),
  overlap: (share) => msg(str`${share}% of the held-out tasks look and answer like a task of training.`),
  'few-tasks': (count) => msg(str`There are only ${count} training tasks: a policy may learn them by heart.`),
  'long-text': (count) => msg(str`A text has ${count} characters: a tiny policy reads short ones.`),
  'no-oracle': () => msg('There is no oracle() with a plan, so it is not known how well the world can be played.'),
};

export const checkFindingText = ({ kind, detail }: CheckFinding): string => words[kind](detail);

export const playerText = (name: string, { episodes, success, turns }: CheckedPlayer): string =>
  msg(
    str`${name}: success ${(100 * success).toFixed(0)}% in ${episodeCount(episodes)}; mean length in turns: ${turns.toFixed(1)}.`,
  );

/** Horizon under which the players were measured. */
export const horizonText = (horizon: CheckedHorizon): string =>
  typeof horizon === 'number'
    ? msg(str`Both under the horizon of the setup: ${turnCount(horizon)}.`)
    : msg(str`Both under the horizon of the setup: the oracle’s turns plus ${horizon.oraclePlus}.`);

export const tokensText = ({ vocabulary, opening, episode, fits }: WorldTokens): string => {
  const sizes = msg(
    str`A tiny policy’s vocabulary: ${tokenCount(vocabulary)}; the longest first text: ${tokenCount(opening)}; the longest episode after it: ${tokenCount(episode)}.`,
  );
  return `${sizes} ${fits ? msg('A tiny policy can read it.') : msg('Its texts are too long for a tiny policy: shorten them.')}`;
};
