/** ScienceWorld behind AgentGym's protocol: `agentenv-sciworld` at 3ef9235, from its source. */
import type { Json } from '../../envs/env.ts';
import {
  type AgentGymForm,
  indexInto,
  int,
  Refused,
  type Route,
  requireAnswer,
  type ServedSession,
  ServerFault,
  type SessionHost,
  str,
  type Values,
} from '../../envs/serving/form.ts';
import { agentGymTasks, itemOf } from './tasks.ts';
import type { SciWorldView } from './view-data.ts';

const items = agentGymTasks.reduce((total, { variations }) => total + variations, 0);

function sessionOf(host: SessionHost, id: Values[string], again = false): ServedSession {
  const session = host.find(id as bigint);
  if (!session)
    throw new Refused(
      host.wasCreated(id as bigint)
        ? `The task with environment ${id} has been deleted.`
        : `The id ${id} is not valid.`,
    );
  if (!again && session.info.done === true) throw new Refused(`The task with environment ${id} has finished.`);
  return session;
}

/** A session that has a task; refuses sessions without one. */
function sessionWithTask(host: SessionHost, id: Values[string]): ServedSession {
  const session = sessionOf(host, id);
  if (session.info.observation === undefined) throw new Refused('No task is loaded: reset the environment first.');
  return session;
}

const viewOf = async (host: SessionHost, session: ServedSession) => (await host.view(session)) as SciWorldView;

async function reset(host: SessionHost, values: Values): Promise<Json> {
  const session = sessionOf(host, values.id, true);
  const item = indexInto(values.data_idx as bigint, items);
  const { observation } = requireAnswer(await host.begin(session, host.task(item)));
  const { description, score } = await viewOf(host, session);
  const { task, variation } = itemOf(item);
  const answer = {
    task_name: task,
    var_num: variation,
    task_description: description,
    // The world's first observation is the description, a line feed, and the look around; the original returns the look
    // alone.
    observation: observation.slice(description.length + 1),
    // The first look around may already score.
    reward: score,
    score,
    deleted: false,
    done: false,
  };
  session.info = { ...answer };
  return answer;
}

/**
 * Executes an action. The world's reward is the score so far, from 0 to 1; the original's is the increase of the score,
 * in points.
 */
async function step(host: SessionHost, session: ServedSession, action: string) {
  const { observation, reward: part, done } = requireAnswer(await host.act(session, action));
  const score = Math.round(part * 100);
  const answer = { observation, reward: score - Number(session.info.score), score, done };
  Object.assign(session.info, answer);
  return answer;
}

/** Action in a text. The original's front end may send a whole reply instead of an action. */
function actionIn(text: string): string {
  const [whole, action] = (text.endsWith('</s>') ? text.slice(0, -4) : text).split('Action:');
  return action === undefined ? whole : action.trim();
}

async function stepVisual(host: SessionHost, session: ServedSession, action: string): Promise<Json> {
  const answer = await step(host, session, actionIn(action));
  const { moves } = await viewOf(host, session);
  const { object_tree, inventory } = (await host.inspect(session, 'state')) as { [key: string]: Json };
  return { ...answer, info: { moves, score: answer.score }, object_tree, inventory, moves };
}

type RouteReader = (host: SessionHost, session: ServedSession) => Json | Promise<Json>;
const parts =
  (...names: string[]): RouteReader =>
  async (host, session) => {
    const state = (await host.inspect(session, 'state')) as { [key: string]: Json };
    return Object.fromEntries(names.map((name) => [name, state[name]]));
  };

/** Routes that read a session: GET requests with its id. */
const readRoutes: { readonly [path: string]: RouteReader } = {
  '/observation': (_host, { info }) => info.observation,
  '/action_hint': parts('possible_actions', 'possible_objects'),
  '/goals': parts('goals'),
  '/detail': (_host, { info }) => info,
  '/task_description': parts('task_description'),
  '/object_tree': parts('object_tree'),
  '/state': async (host, session) => {
    const state = (await host.inspect(session, 'state')) as { [key: string]: Json };
    const some = (list: Json) => (list as Json[]).slice(0, 10);
    return {
      observation: state.look,
      inventory: state.inventory,
      task_description: state.task_description,
      goal_progress: state.goals,
      possible_actions: some(state.possible_actions),
      possible_objects: some(state.possible_objects),
      current_moves: state.moves,
      environment_info: session.info,
    };
  },
};

export const agentGymForm: AgentGymForm = {
  server: 'sciworld',
  path: '',
  greeting: 'This is environment ScienceWorld.',
  errors: 'answer',
  idField: 'id',
  // No route here returns the list of valid actions, and computing it takes longer than the step.
  options: { upstream: true, validActions: false },
  routes: [
    {
      method: 'POST',
      path: '/create',
      fields: {},
      answer(host) {
        const session = host.create();
        session.info = { deleted: false, done: false };
        return { id: session.id };
      },
    },
    { method: 'POST', path: '/reset', fields: { id: int, data_idx: int }, answer: reset },
    {
      method: 'POST',
      path: '/step',
      fields: { id: int, action: str },
      answer: (host, { id, action }) => step(host, sessionWithTask(host, id), action as string),
    },
    {
      method: 'POST',
      path: '/step_visual',
      fields: { id: int, action: str },
      answer: (host, { id, action }) => stepVisual(host, sessionWithTask(host, id), action as string),
    },
    ...Object.entries(readRoutes).map(
      ([path, ask]): Route => ({
        method: 'GET',
        path,
        fields: { id: int },
        answer: (host, { id }) => ask(host, sessionWithTask(host, id)),
      }),
    ),
    {
      method: 'POST',
      path: '/close',
      fields: { id: int },
      answer(host, { id }) {
        const session = host.find(id as bigint);
        if (!session) throw new ServerFault(`There is no environment ${id}.`);
        host.close(session);
        return true;
      },
    },
  ],
};
