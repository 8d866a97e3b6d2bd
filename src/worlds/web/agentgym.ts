/**
 * The world Web served by AgentGym's protocol, like `agentenv-webarena` at 3ef9235. Sites and tasks are our own, so an
 * item is an index into the world's task list, with the training tasks first. Clients send whole replies, and the
 * action is extracted here, as in the original.
 */
import type { Json } from '../../envs/env.ts';
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
import { backticks } from './backticks.ts';

function envOf(host: SessionHost, id: Values[string]): ServedSession {
  const session = host.find(id as bigint);
  if (!session) throw new ServerFault(String(id));
  return session;
}

/** Extracts page and objective from an observation. */
const promptPattern = /^OBSERVATION:\n([\s\S]*)\nURL: .*\nOBJECTIVE: ([\s\S]*)\nPREVIOUS ACTION: /;

async function reset(host: SessionHost, { env_idx, idx }: Values): Promise<Json> {
  try {
    const tasks = await host.tasks();
    const task = tasks[Number(idx)];
    if (!task) throw new ServerFault(`The items are 0 to ${tasks.length - 1} (it is ${idx}).`);
    const session = envOf(host, env_idx);
    const { observation } = requireAnswer(await host.begin(session, task));
    session.info = { observation };
    const [, page, objective] = promptPattern.exec(observation) ?? [observation, observation, ''];
    return { object: objective, observation: page, sites: [task.strata.site] };
  } catch (error) {
    // In the original every failure has this form; its client then ends the episode.
    if (!(error instanceof ServerFault)) throw error;
    return { object: 'Error', observation: 'TimeoutError', sites: 'Error' };
  }
}

const refused = (observation: string) => ({ info: null, observation, reward: 0, terminated: false, truncated: false });

async function step(host: SessionHost, { env_idx, action }: Values): Promise<Json> {
  const session = host.find(env_idx as bigint);
  if (!session) return refused(String(env_idx));
  const reply = backticks(action as string);
  if (reply.refusal !== undefined) return refused(reply.refusal);
  if (session.info.observation === undefined) return refused('No task is loaded: reset the environment first.');
  const { observation, reward, done, valid } = requireAnswer(await host.act(session, reply.action));
  session.info.observation = observation;
  const info = { fail_error: valid ? '' : 'The action could not be carried out.' };
  return { info, observation, reward, terminated: done, truncated: false };
}

export const agentGymForm: AgentGymForm = {
  server: 'webarena',
  path: '',
  greeting: 'ok',
  errors: 'status',
  idField: 'env_idx',
  options: { observation: 'full' },
  itemOf: placeOfTask,
  routes: [
    { method: 'POST', path: '/create', fields: {}, answer: (host) => ({ env_idx: host.create().id }) },
    {
      method: 'POST',
      path: '/reset',
      fields: { env_idx: int, seed: { ...int, optional: true }, idx: int },
      answer: reset,
    },
    { method: 'POST', path: '/step', fields: { env_idx: int, action: str }, answer: step },
    {
      method: 'GET',
      path: '/observation',
      fields: { env_idx: int },
      answer: (host, { env_idx }) => envOf(host, env_idx).info.observation,
    },
    {
      method: 'GET',
      path: '/observation_metadata',
      fields: { env_idx: int },
      answer: async (host, { env_idx }) => ({
        text: { url: ((await host.view(envOf(host, env_idx))) as unknown as { url: string }).url },
      }),
    },
    {
      method: 'POST',
      path: '/close',
      fields: { env_idx: int },
      answer(host, { env_idx }) {
        const session = host.find(env_idx as bigint);
        if (!session) return { closed: `Close Env ${env_idx} Error: ${env_idx}` };
        host.close(session);
        return { closed: 'closed' };
      },
    },
  ],
};
