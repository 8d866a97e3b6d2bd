/**
 * Maze served by AgentGym's protocol, like `agentenv-lmrlgym` at 3ef9235, from recordings of it. The protocol has no
 * route that closes a session.
 */
import {
  type AgentGymForm,
  indexInto,
  int,
  Refused,
  requireAnswer,
  type ServedSession,
  sessionOf,
  str,
  unfinishedSession,
} from '../../envs/serving/form.ts';
import { mazeActions } from './moves.ts';

const games = 26;
/** The game that starts on its goal. The original refuses it by a failed assertion with an empty message. */
const unplayable = 25;

function gameOf(game: bigint): number {
  if (game >= games) throw new Refused(`The game ${game} is not valid.`);
  const index = indexInto(game, games);
  if (index === unplayable) throw new Refused('');
  return index;
}

/**
 * Returns the session if it has begun a game. Before its first reset, the original's answer is Python's KeyError for
 * the missing key.
 */
function inGame(session: ServedSession, missing: string): ServedSession {
  if (session.info.observation === undefined) throw new Refused(missing);
  return session;
}

export const agentGymForm: AgentGymForm = {
  server: 'lmrlgym',
  path: '/maze',
  greeting: 'This is environment LMRL-Gym.',
  errors: 'answer',
  idField: 'id',
  options: { upstream: true },
  routes: [
    { method: 'POST', path: '/create', fields: {}, answer: (host) => ({ id: host.create().id }) },
    {
      method: 'POST',
      path: '/reset',
      fields: { id: int, game: int },
      async answer(host, { id, game }) {
        const session = sessionOf(host, id);
        const { observation } = requireAnswer(await host.begin(session, host.task(gameOf(game as bigint))));
        session.info = { maze_name: 'double_t_maze', observation, done: false, reward: 0, deleted: false };
        return { observation };
      },
    },
    {
      method: 'POST',
      path: '/step',
      fields: { id: int, action: str },
      async answer(host, { id, action }) {
        const session = unfinishedSession(host, id);
        inGame(session, String(session.id));
        const { observation, reward, done } = requireAnswer(await host.act(session, action as string));
        Object.assign(session.info, { observation, done, reward: Number(session.info.reward) + reward });
        return { observation, reward, done };
      },
    },
    { method: 'GET', path: '/available_actions', fields: {}, answer: () => [...mazeActions] },
    {
      method: 'GET',
      path: '/observation',
      fields: { id: int },
      answer: (host, { id }) => inGame(unfinishedSession(host, id), "'observation'").info.observation,
    },
    {
      method: 'GET',
      path: '/detail',
      fields: { id: int },
      answer: (host, { id }) => inGame(unfinishedSession(host, id), "'goal_position'").info,
    },
  ],
};
