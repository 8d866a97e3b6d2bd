/** BabyAI behind AgentGym's protocol: `agentenv-babyai` at 3ef9235, from its source. */
import {
  type AgentGymForm,
  closeById,
  floorDivide,
  int,
  modulo,
  Refused,
  requireAnswer,
  type ServedSession,
  sessionOf,
  str,
  unfinishedSession,
} from '../../envs/serving/form.ts';
import { itemOf, LEVELS } from './split.ts';

const largestSeed = 2n ** 31n;

/** Level by the item's remainder, seed by its quotient. */
function itemNumber(item: bigint): number {
  const seed = floorDivide(item, BigInt(LEVELS));
  if (seed < 0n || seed > largestSeed)
    throw new Refused(`Seed must be a whole number from 0 to ${largestSeed}, it is ${seed} (item ${item}).`);
  return itemOf(modulo(item, LEVELS) + 1, Number(seed));
}

/**
 * The world's reward is the sum so far, so the last action's reward is the difference. After an end that the original
 * does not accept it repeats the same reward; that value is returned unchanged, because a difference would round it.
 */
function stepReward(score: number, { score: before, reward }: ServedSession['info']): number {
  const gained = score - Number(before);
  return Math.abs(gained - Number(reward)) < 1e-9 ? Number(reward) : gained;
}

/** Last observation, with the goal in front: the answer to a step omits the goal. */
function observationOf({ info }: ServedSession) {
  const { goal, observation, reward, score, done, deleted } = info;
  const withGoal = String(observation).startsWith('Your goal: ') ? observation : `${goal}\n${observation}`;
  return { observation: withGoal, reward, score, done, deleted };
}

export const agentGymForm: AgentGymForm = {
  server: 'babyai',
  path: '',
  greeting: 'This is environment BabyAI.',
  errors: 'answer',
  idField: 'id',
  options: { upstream: true },
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
    {
      method: 'POST',
      path: '/reset',
      fields: { id: int, data_idx: int },
      async answer(host, { id, data_idx }) {
        const session = sessionOf(host, id);
        const { observation } = requireAnswer(await host.begin(session, host.task(itemNumber(data_idx as bigint))));
        const answer = { observation, reward: 0, score: 0, deleted: false, done: false };
        session.info = { ...answer, goal: observation.slice(0, observation.indexOf('\n')) };
        return answer;
      },
    },
    {
      method: 'POST',
      path: '/step',
      fields: { id: int, action: str },
      async answer(host, { id, action }) {
        const session = unfinishedSession(host, id);
        if (session.info.observation === undefined) throw new Refused(String(session.id));
        const { observation, reward: score, done } = requireAnswer(await host.act(session, action as string));
        const answer = { observation, reward: stepReward(score, session.info), score, done };
        Object.assign(session.info, answer);
        return answer;
      },
    },
    {
      method: 'GET',
      path: '/observation',
      fields: { id: int },
      answer(host, { id }) {
        const session = unfinishedSession(host, id);
        if (session.info.observation !== undefined) return observationOf(session);
        return { observation: 'Environment not initialized', reward: 0, score: 0, done: false, deleted: false };
      },
    },
    {
      method: 'POST',
      path: '/render',
      fields: { id: int },
      answer(host, { id }) {
        unfinishedSession(host, id);
        throw new Refused('This server draws no pictures: the page has a view of the grid.');
      },
    },
    { method: 'POST', path: '/close', fields: { id: int }, answer: (host, { id }) => closeById(host, id) },
  ],
};
