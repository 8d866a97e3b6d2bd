/**
 * The household behind AgentGym's protocol, like `agentenv-alfworld` at 3ef9235: the dialect of ALFWorld 0.3.3, the
 * observation after the first blank line, the name of the location left out, and the reward 1 for a task that is done. A
 * game is an index into the list of all tasks, training tasks first. The protocol has no route that closes a session.
 */
import type { Feedback, Json } from '../../envs/env.ts';
import {
  type AgentGymForm,
  indexInto,
  int,
  placeOfTask,
  Refused,
  requireAnswer,
  type SessionHost,
  sessionOf,
  str,
  unfinishedSession,
  type Values,
} from '../../envs/serving/form.ts';

const worldTypes = ['Text', 'Embody', 'Hybrid'];

/** The session's valid actions after an answer. */
const listed = ({ validActions }: Feedback, before: Json): Json => (validActions ? [...validActions] : before);

/** The original's server cuts off the name of the location. */
function withoutLocation(text: string): string {
  return text.startsWith('You arrive at loc ') ? text.slice(text.indexOf('. ') + 2) : text;
}

const field =
  (name: string) =>
  (host: SessionHost, { id }: Values) => {
    const { info } = unfinishedSession(host, id);
    if (info[name] === undefined) throw new Refused(`'${name}'`);
    return info[name];
  };

export const agentGymForm: AgentGymForm = {
  server: 'alfworld',
  path: '',
  greeting: 'This is environment AlfWorld.',
  errors: 'answer',
  idField: 'id',
  options: { dialect: 'put' },
  itemOf: placeOfTask,
  routes: [
    {
      method: 'POST',
      path: '/create',
      fields: {},
      answer(host) {
        const session = host.create();
        session.info = { done: false, reward: 0, deleted: false };
        return { id: session.id };
      },
    },
    {
      method: 'POST',
      path: '/step',
      fields: { id: int, action: str },
      async answer(host, { id, action }) {
        const session = unfinishedSession(host, id);
        if (session.info.observation === undefined) throw new Refused(String(id));
        const feedback = requireAnswer(await host.act(session, action as string));
        const answer = {
          observation: withoutLocation(feedback.observation),
          reward: feedback.done ? 1 : 0,
          available_actions: listed(feedback, session.info.available_actions),
          done: feedback.done,
        };
        Object.assign(session.info, answer);
        return answer;
      },
    },
    {
      method: 'POST',
      path: '/reset',
      fields: { id: int, game: int, world_type: str },
      async answer(host, { id, game, world_type }) {
        if (!worldTypes.includes(String(world_type)))
          throw new Refused('world_type must be one of "Text", "Embody" and "Hybrid"');
        const session = sessionOf(host, id);
        const tasks = await host.tasks();
        const index = indexInto(game as bigint, tasks.length);
        const feedback = requireAnswer(await host.begin(session, tasks[index]));
        const observation = feedback.observation.split('\n\n').slice(1).join('\n');
        const available_actions = listed(feedback, []);
        session.info = {
          world_type: String(world_type),
          game: Number(game),
          observation,
          available_actions,
          done: false,
          reward: 0,
          deleted: false,
        };
        const task_type = `${tasks[index].strata.task ?? 'game'}/${tasks[index].id}`;
        return { id: session.id, observation, available_actions, task_type };
      },
    },
    { method: 'GET', path: '/available_actions', fields: { id: int }, answer: field('available_actions') },
    { method: 'GET', path: '/observation', fields: { id: int }, answer: field('observation') },
    { method: 'GET', path: '/detail', fields: { id: int }, answer: (host, { id }) => unfinishedSession(host, id).info },
  ],
};
