/**
 * The policy's strategy in a game: the probability of each action by the information of the seat that acts, computed
 * exactly. Each information is written as the conversation that leads to it, once for each action, and the tokens of
 * that action are scored.
 */
import type { Feedback, Task, WorldDescription } from '../../envs/env.ts';
import type { SeatLine, Strategy } from '../../envs/game.ts';
import { exp } from '../../policy/elementary.ts';
import { groupBy, sum } from '../common/numbers.ts';
import type { Conversation } from './conversation.ts';
import { Episode } from './episode.ts';
import { chosenPositions } from './micro-batch.ts';
import type { Trajectory } from './trajectory.ts';
import type { ContextRules } from './window.ts';

interface Scoring {
  conversation: Conversation;
  description: WorldDescription;
  maskActions: boolean;
  /** Absent: each turn reads the whole episode. */
  context?: ContextRules;
  promptTokens: number;
  /** Log-probability of each trained token of the trajectories, in their order. */
  score(trajectories: readonly Trajectory[]): Promise<readonly Float64Array[]>;
}

/** The policy's strategy at all of a game's information. `task` gives the rules of the prompt. */
export async function strategyOf(task: Task, lines: readonly SeatLine[], scoring: Scoring): Promise<Strategy> {
  // The actions of an information share its text, as the members of a group share their prompt.
  const written = lines.flatMap((line, group) => line.turn.offered.map((action) => ({ line, action, group })));
  const trajectories = written.map(({ line, action, group }) => conversationTo(line, action, task, group, scoring));
  const scores = await scoring.score(trajectories);
  const masses = trajectories.map((trajectory, i) => {
    const positions = chosenPositions(trajectory);
    const last = trajectory.turns.length - 1;
    return exp(sum(scores[i].filter((_, k) => trajectory.turnOf[positions[k]] === last)));
  });
  const actionsOf = groupBy(written.keys(), (i) => written[i].line.information);
  return Object.fromEntries(
    [...actionsOf].map(([information, indices]) => {
      const values = indices.map((i) => masses[i]);
      const total = sum(values);
      return [information, values.map((value) => (total > 0 ? value / total : 1 / values.length))];
    }),
  );
}

const feedbackOf = ({ sees, offered }: SeatLine['turn']): Feedback => ({
  observation: sees,
  reward: 0,
  done: false,
  valid: true,
  validActions: offered,
});

/** The seat's conversation up to an action at its turn. */
function conversationTo(
  { before, turn }: SeatLine,
  action: string,
  task: Task,
  group: number,
  { conversation, description, maskActions, context, promptTokens }: Scoring,
): Trajectory {
  const settings = { maskActions, ...(context && { context }), rules: { invalidAction: 'continue' as const } };
  const episode = new Episode(task, group, 0, group, conversation, settings);
  const turns = [...before, { ...turn, action }];
  episode.start(feedbackOf(turns[0]), description, promptTokens);
  episode.setHorizon(turns.length + 1, null);
  turns.forEach((each, t) => {
    episode.demonstrate(each.action);
    if (t + 1 < turns.length) episode.takeObservation(feedbackOf(turns[t + 1]));
  });
  return episode.trajectory();
}
