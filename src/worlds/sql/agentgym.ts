/**
 * SQL behind AgentGym's protocol, like `agentenv-sqlgym` at 3ef9235. An item is an index into the list of all tasks,
 * with the training tasks first. Unlike the original, every client has an environment of its own, and the database is
 * only read.
 */
import type { Task } from '../../envs/env.ts';
import {
  type AgentGymForm,
  int,
  placeOfTask,
  requireAnswer,
  type ServedSession,
  ServerFault,
  type SessionHost,
  str,
  type Values,
} from '../../envs/serving/form.ts';

/** Throws for an unknown id. In the original every error is an exception, answered with status 500. */
function envOf(host: SessionHost, id: Values[string]): ServedSession {
  const session = host.find(id as bigint);
  if (!session) throw new ServerFault(`Env ${id} not found`);
  return session;
}

function begunEnv(host: SessionHost, id: Values[string]): ServedSession {
  const session = envOf(host, id);
  if (session.info.observation === undefined) throw new ServerFault(`Env ${id} not initialized`);
  return session;
}

async function taskAt(host: SessionHost, item: bigint): Promise<Task> {
  const tasks = await host.tasks();
  if (item < 0n || item >= BigInt(tasks.length)) throw new ServerFault(`Item id ${item} is out of range.`);
  return tasks[Number(item)];
}

export const agentGymForm: AgentGymForm = {
  server: 'sqlgym',
  path: '',
  greeting: 'ok',
  errors: 'status',
  idField: 'env_idx',
  options: { upstream: true },
  itemOf: placeOfTask,
  routes: [
    { method: 'GET', path: '/list_envs', fields: {}, answer: (host) => host.openIds() },
    { method: 'POST', path: '/create', fields: {}, answer: (host) => host.create().id },
    {
      method: 'POST',
      path: '/reset',
      fields: { env_idx: int, item_id: int },
      async answer(host, { env_idx, item_id }) {
        const session = envOf(host, env_idx);
        const { observation } = requireAnswer(await host.begin(session, await taskAt(host, item_id as bigint)));
        session.info = { observation };
        return [observation, null];
      },
    },
    {
      method: 'POST',
      path: '/step',
      fields: { env_idx: int, action: str },
      async answer(host, { env_idx, action }) {
        const session = begunEnv(host, env_idx);
        const { observation, reward, done } = requireAnswer(await host.act(session, action as string));
        return { state: observation, reward, done, info: { ground_truth: await host.inspect(session, 'gold') } };
      },
    },
    {
      method: 'GET',
      path: '/observation',
      fields: { env_idx: int },
      // The original keeps no later observation.
      answer: (host, { env_idx }) => begunEnv(host, env_idx).info.observation,
    },
  ],
};
