/**
 * The shop behind AgentGym's protocol, like `agentenv-webshop` at 3ef9235. An item is an index into the list of all
 * tasks, with the training tasks first. Ids of environments are counted from 0; upstream draws them at random.
 */
import type { Json } from '../../envs/env.ts';
import {
  type AgentGymForm,
  closeById,
  createAndBegin,
  environmentOf,
  int,
  placeOfTask,
  requireAnswer,
  type ServedSession,
  type SessionHost,
  str,
  taskAtItem,
  type Values,
} from '../../envs/serving/form.ts';

async function beginAt(host: SessionHost, session: ServedSession, item: bigint): Promise<string> {
  const { observation } = requireAnswer(await host.begin(session, await taskAtItem(host, item)));
  session.info = { observation };
  return observation;
}

/** Item of a reset without one: another for each reset; upstream draws one at random. */
const drawnItem = async (host: SessionHost, session: ServedSession): Promise<bigint> => {
  const resets = Number(session.info.resets ?? 0);
  return BigInt((session.id * 7919 + resets * 104_729) % (await host.tasks()).length);
};

const inspected = (path: string, what: string) => ({
  method: 'GET' as const,
  path,
  fields: { env_idx: int },
  answer: (host: SessionHost, { env_idx }: Values): Promise<Json> => host.inspect(environmentOf(host, env_idx), what),
});

export const agentGymForm: AgentGymForm = {
  server: 'webshop',
  path: '',
  greeting: 'ok',
  errors: 'status',
  idField: 'env_idx',
  options: { upstream: true, matcher: 'levenshtein', goals: 'synthetic', order: 'agentgym' },
  itemOf: placeOfTask,
  routes: [
    { method: 'GET', path: '/list_envs', fields: {}, answer: (host) => host.openIds() },
    {
      method: 'POST',
      path: '/create',
      fields: {},
      answer: (host) =>
        createAndBegin(host, async (session) => {
          await beginAt(host, session, await drawnItem(host, session));
          return session.id;
        }),
    },
    {
      method: 'POST',
      path: '/step',
      fields: { env_idx: int, action: str },
      async answer(host, { env_idx, action }) {
        const session = environmentOf(host, env_idx);
        const { observation, reward, done } = requireAnswer(await host.act(session, action as string));
        session.info.observation = observation;
        return { state: observation, reward, done, info: null };
      },
    },
    {
      method: 'POST',
      path: '/reset',
      fields: { env_idx: int, session_id: { type: 'int', optional: true } },
      async answer(host, { env_idx, session_id }) {
        const session = environmentOf(host, env_idx);
        const resets = Number(session.info.resets ?? 0) + 1;
        const item = session_id === null ? await drawnItem(host, session) : (session_id as bigint);
        const observation = await beginAt(host, session, item);
        session.info.resets = resets;
        return [observation, null];
      },
    },
    {
      method: 'GET',
      path: '/observation',
      fields: { env_idx: int },
      answer: (host, { env_idx }) => environmentOf(host, env_idx).info.observation,
    },
    inspected('/available_actions', 'available'),
    inspected('/instruction_text', 'instruction'),
    inspected('/state', 'state'),
    {
      // The original has no such route, although its client posts to it.
      method: 'POST',
      path: '/close',
      fields: { env_idx: int },
      answer: (host, { env_idx }) => closeById(host, env_idx),
    },
  ],
};
