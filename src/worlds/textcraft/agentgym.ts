/** TextCraft behind AgentGym's protocol: `agentenv-textcraft` at 3ef9235, as recorded from it. */
import {
  type AgentGymForm,
  closeById,
  createAndBegin,
  int,
  modulo,
  Refused,
  requireAnswer,
  ServerFault,
  sessionOf,
  str,
} from '../../envs/serving/form.ts';

const goals = 544;
const text = { type: 'str', optional: true } as const;
const start = (observation: string) => ({ observation, done: false, reward: 0 });

export const agentGymForm: AgentGymForm = {
  server: 'textcraft',
  path: '',
  greeting: 'This is environment TextCraft.',
  errors: 'answer',
  idField: 'id',
  options: {},
  itemOf: ({ id }) => (id < goals ? id : null),
  routes: [
    {
      method: 'POST',
      path: '/create',
      // The original accepts these fields and ignores them in a reset.
      fields: { commands: text, goal: text },
      answer: (host) =>
        createAndBegin(host, async (session) => {
          const { observation } = requireAnswer(await host.begin(session, host.task(session.id % goals)));
          session.info = { ...start(observation), deleted: false };
          return { id: session.id, ...start(observation) };
        }),
    },
    {
      method: 'POST',
      path: '/reset',
      fields: { id: int, data_idx: { type: 'int', optional: true, whenAbsent: 0n } },
      async answer(host, { id, data_idx }) {
        const session = sessionOf(host, id);
        if (data_idx === null) throw new Refused("unsupported operand type(s) for %: 'NoneType' and 'int'");
        const { observation } = requireAnswer(await host.begin(session, host.task(modulo(data_idx as bigint, goals))));
        session.info = { ...start(observation), deleted: false };
        return { id: session.id, ...start(observation) };
      },
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
    // The original's methods behind these paths do not exist, so it answers with an error.
    ...(['/commands', '/goal'] as const).map((path) => ({
      method: 'GET' as const,
      path,
      fields: { id: int },
      answer: () => {
        throw new ServerFault(`The original answers GET ${path} with status 500 alone.`);
      },
    })),
    { method: 'POST', path: '/close', fields: { id: int }, answer: (host, { id }) => closeById(host, id) },
  ],
};
