/**
 * Search served by AgentGym's protocol, like `agentenv-searchqa` at 3ef9235, from recordings of it. An item is an index
 * into the world's task list, with the training questions first. In the original it is an index into its two files
 * together.
 */
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

async function beginAt(host: SessionHost, session: ServedSession, item: Values[string]): Promise<string> {
  const { observation } = requireAnswer(await host.begin(session, await taskAtItem(host, item)));
  session.info = { observation };
  return observation;
}

export const agentGymForm: AgentGymForm = {
  server: 'searchqa',
  path: '',
  greeting: 'ok',
  errors: 'status',
  idField: 'env_idx',
  options: { upstream: true },
  itemOf: placeOfTask,
  routes: [
    {
      method: 'POST',
      path: '/create',
      fields: { id: int },
      answer: (host, { id }) =>
        createAndBegin(host, async (session) => {
          await beginAt(host, session, id);
          return session.id;
        }),
    },
    {
      method: 'POST',
      path: '/reset',
      fields: { env_idx: int, id: { type: 'int', optional: true } },
      answer: (host, { env_idx, id }) => beginAt(host, environmentOf(host, env_idx), id),
    },
    {
      method: 'POST',
      path: '/step',
      fields: { env_idx: int, action: str },
      async answer(host, { env_idx, action }) {
        const { observation, reward, done } = requireAnswer(
          await host.act(environmentOf(host, env_idx), action as string),
        );
        return { observation, reward, done, info: null };
      },
    },
    {
      method: 'GET',
      path: '/observation',
      fields: { env_idx: int },
      answer: (host, { env_idx }) => environmentOf(host, env_idx).info.observation,
    },
    {
      method: 'POST',
      path: '/close',
      fields: { env_idx: int },
      answer: (host, { env_idx }) => closeById(host, env_idx),
    },
  ],
};
