/**
 * Wordle served by AgentGym's protocol, like `agentenv-lmrlgym` at 3ef9235, from recordings of it. The protocol has no
 * route that closes a session.
 */
import type { Task } from '../../envs/env.ts';
import {
  type AgentGymForm,
  createAndBegin,
  int,
  Refused,
  requireAnswer,
  type SessionHost,
  sessionOf,
  str,
  unfinishedSession,
} from '../../envs/serving/form.ts';

/** Task with a seed of any size. The seed is stored as a string, because it may exceed JavaScript's safe integers. */
function seeded(host: SessionHost, seed: bigint): Task {
  const task = host.task(0);
  return { ...task, strata: { seed: String(seed) } };
}

/** Random seed: before its first reset, a session of the original plays with an unseeded generator. */
const unseeded = () => crypto.getRandomValues(new BigUint64Array(1))[0];

export const agentGymForm: AgentGymForm = {
  server: 'lmrlgym',
  path: '/wordle',
  greeting: 'This is environment LMRL-Gym.',
  errors: 'answer',
  idField: 'id',
  options: { upstream: true },
  routes: [
    {
      method: 'POST',
      path: '/create',
      fields: {},
      answer: (host) =>
        createAndBegin(host, async (session) => {
          requireAnswer(await host.begin(session, seeded(host, unseeded())));
          session.info = { done: false, reward: 0, deleted: false };
          return { id: session.id };
        }),
    },
    {
      method: 'POST',
      path: '/reset',
      fields: { id: int, seed: int },
      async answer(host, { id, seed }) {
        const session = sessionOf(host, id);
        const { observation } = requireAnswer(await host.begin(session, seeded(host, seed as bigint)));
        const shown = Number.isSafeInteger(Number(seed)) ? Number(seed) : String(seed);
        session.info = { done: false, reward: 0, deleted: false, observation, seed: shown };
        return { id: session.id, observation };
      },
    },
    {
      method: 'POST',
      path: '/step',
      fields: { id: int, action: str },
      async answer(host, { id, action }) {
        const session = unfinishedSession(host, id);
        const { observation, reward, done } = requireAnswer(await host.act(session, action as string));
        Object.assign(session.info, { observation, done, reward: Number(session.info.reward) + reward });
        return { observation, reward, done };
      },
    },
    {
      method: 'GET',
      path: '/filtered_vocab',
      fields: { id: int },
      answer: (host, { id }) => host.inspect(unfinishedSession(host, id), 'possible words'),
    },
    {
      method: 'GET',
      path: '/observation',
      fields: { id: int },
      answer(host, { id }) {
        const { observation } = unfinishedSession(host, id).info;
        if (observation === undefined) throw new Refused("'observation'");
        return observation;
      },
    },
    { method: 'GET', path: '/detail', fields: { id: int }, answer: (host, { id }) => unfinishedSession(host, id).info },
  ],
};
