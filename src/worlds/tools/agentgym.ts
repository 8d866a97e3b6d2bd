/**
 * Worlds of tools behind AgentGym's protocol, like `agentenv-tool` at 3ef9235. An item is an index into the list of all
 * tasks, with the training tasks first; negative ones count from the end, as in Python.
 */
import type { Task } from '../../envs/env.ts';
import {
  type AgentGymForm,
  createAndBegin,
  environmentOf,
  type Field,
  indexInto,
  int,
  placeOfTask,
  Refused,
  requireAnswer,
  type ServedSession,
  ServerFault,
  type SessionHost,
  str,
} from '../../envs/serving/form.ts';
import type { Facts } from './facts.ts';

async function taskAt(host: SessionHost, item: bigint): Promise<Task> {
  const tasks = await host.tasks();
  try {
    return tasks[indexInto(item, tasks.length)];
  } catch (error) {
    if (error instanceof Refused) throw new ServerFault(error.message);
    throw error;
  }
}

async function beginAt(host: SessionHost, session: ServedSession, task: Task): Promise<string> {
  const { observation } = requireAnswer(await host.begin(session, task));
  const { world, id, options } = task;
  session.info = { observation, task: { world, id, options } };
  return observation;
}

/** Restarts the task of a session. The original then takes the date for the user's place. */
async function beginAgain(host: SessionHost, session: ServedSession): Promise<string> {
  const task = session.info.task as unknown as Omit<Task, 'strata'>;
  return beginAt(host, session, { ...task, strata: { again: 1 } });
}

const optionalInt: Field = { type: 'int', optional: true };

export const agentGymForm = ({ server }: Facts): AgentGymForm => ({
  server,
  path: '',
  greeting: 'ok',
  errors: 'status',
  idField: 'env_idx',
  options: { upstream: true },
  itemOf: placeOfTask,
  routes: [
    { method: 'GET', path: '/list_envs', fields: {}, answer: (host) => host.openIds() },
    {
      method: 'POST',
      path: '/create',
      fields: { id: int },
      answer: (host, { id }) =>
        createAndBegin(host, async (session) => {
          await beginAt(host, session, await taskAt(host, id as bigint));
          return session.id;
        }),
    },
    {
      method: 'POST',
      path: '/reset',
      fields: { env_idx: int, id: optionalInt },
      async answer(host, { env_idx, id }) {
        const session = environmentOf(host, env_idx);
        return id === null ? beginAgain(host, session) : beginAt(host, session, await taskAt(host, id as bigint));
      },
    },
    {
      method: 'POST',
      path: '/step',
      fields: { env_idx: int, action: str },
      async answer(host, { env_idx, action }) {
        const { observation, reward, done } = requireAnswer(
          await host.act(environmentOf(host, env_idx), action as string),
        );
        return { observation, reward, done };
      },
    },
    {
      method: 'GET',
      path: '/observation',
      fields: { env_idx: int },
      // The original keeps no later observation.
      answer: (host, { env_idx }) => environmentOf(host, env_idx).info.observation,
    },
  ],
});
