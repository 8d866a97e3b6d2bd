/** Texts of an episode, as patterns, functions and judges read them. */
import type { Trajectory, Turn } from '../episode/trajectory.ts';

/** Full reply of a turn: the policy's text, or the thought and action of a policy that writes no reply. */
export const replyOf = ({ reply, thought, action }: Turn): string =>
  reply ?? (thought ? `${thought}\n${action}` : action);

/** An episode as a reward function receives it. */
export interface EpisodeText {
  task: Trajectory['task'];
  /** First observation. */
  prompt: string;
  turns: { action: string; thought: string; reply: string; observation: string; reward: number; valid: boolean }[];
  score: number;
  success: boolean;
  ending: string;
  /** Maximum number of turns allowed. */
  horizon: number;
  /** Turns of the oracle's plan; null: unknown. */
  oracleTurns: number | null;
}

export const episodeText = (trajectory: Trajectory): EpisodeText => {
  const { task, prompt, turns, score, success, ending, horizon, oracleTurns } = trajectory;
  const listed = turns.map((turn) => ({
    action: turn.action,
    thought: turn.thought ?? '',
    reply: replyOf(turn),
    observation: turn.observation,
    reward: turn.reward,
    valid: turn.valid,
  }));
  return { task, prompt, turns: listed, score, success, ending, horizon, oracleTurns };
};
