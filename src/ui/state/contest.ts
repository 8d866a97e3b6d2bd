/** Contest of a person and the agent on the same tasks: who wins a task, and the score of all. Pure functions. */

/** One player's try at a task. */
export interface Try {
  success: boolean;
  /** Final reward. */
  reward: number;
  turns: number;
}

export type Winner = 'you' | 'agent' | 'nobody';

/** Success beats failure, then the higher reward, then fewer turns of a success. */
export function winnerOf(you: Try, agent: Try): Winner {
  const better = (a: Try, b: Try) =>
    Number(a.success) - Number(b.success) || a.reward - b.reward || (a.success ? b.turns - a.turns : 0);
  const difference = better(you, agent);
  return difference > 0 ? 'you' : difference < 0 ? 'agent' : 'nobody';
}

export type ContestScore = { readonly [winner in Winner]: number };

export const noContest: ContestScore = { you: 0, agent: 0, nobody: 0 };

export const withWinner = (score: ContestScore, winner: Winner): ContestScore => ({
  ...score,
  [winner]: score[winner] + 1,
});
