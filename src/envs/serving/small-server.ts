/**
 * AgentGym's protocol for worlds that have no server of their own there, with the routes of its small servers
 * (agentenv-textcraft at 3ef9235): an item number is the place of a task among all tasks, training tasks first.
 */
import {
  type AgentGymForm,
  closeById,
  createAndBegin,
  int,
  placeOfTask,
  Refused,
  requireAnswer,
  type ServedSession,
  type SessionHost,
  sessionOf,
  str,
} from './form.ts';

async function begin(host: SessionHost, session: ServedSession, item: number) {
  const all = await host.tasks();
  const task = all[item];
  if (!task) throw new Refused(`There is no item ${item}: the items are 0 to ${all.length - 1}.`);
  const { observation } = requireAnswer(await host.begin(session, task));
  session.info = { observation, done: false, reward: 0, deleted: false };
  return { id: session.id, observation, done: false, reward: 0 };
}

export const smallServerForm = (server: string, title: string): AgentGymForm => ({
  server,
  path: '',
  greeting: `This is environment ${title}.`,
  errors: 'answer',
  idField: 'id',
  options: {},
  itemOf: placeOfTask,
  routes: [
    {
      method: 'POST',
      path: '/create',
      fields: {},
      answer: (host) =>
        createAndBegin(host, async (session) => begin(host, session, session.id % (await host.tasks()).length)),
    },
    {
      method: 'POST',
      path: '/reset',
      fields: { id: int, data_idx: { type: 'int', optional: true, whenAbsent: 0n } },
      answer: (host, { id, data_idx }) => begin(host, sessionOf(host, id), Number(data_idx)),
    },
    {
      method: 'POST',
      path: '/step',
      fields: { id: int, action: str },
      async answer(host, { id, action }) {
        const session = sessionOf(host, id);
        const { observation, reward, done } = requireAnswer(await host.act(session, action as string));
        Object.assign(session.info, { observation, reward, done });
        return { observation, reward, done };
      },
    },
    {
      method: 'GET',
      path: '/observation',
      fields: { id: int },
      answer: (host, { id }) => sessionOf(host, id).info.observation,
    },
    { method: 'GET', path: '/detail', fields: { id: int }, answer: (host, { id }) => sessionOf(host, id).info },
    { method: 'POST', path: '/close', fields: { id: int }, answer: (host, { id }) => closeById(host, id) },
  ],
});
