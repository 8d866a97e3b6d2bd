/**
 * AgentGym's AlfWorld server: household tasks in text. The first observation contains the valid actions; later answers
 * list them in a field of their own.
 */
import * as v from 'valibot';
import { lastAction } from '../../../envs/reply.ts';
import { flag, idIn, number, readAnswer, text, texts } from '../answers.ts';
import { acting, functionFormats } from '../functions.ts';
import { type AgentGymKind, range } from '../kind.ts';

const both = ['obj', 'recep'];
const functions = {
  goto: acting('go to', ['recep'], 'go to a place'),
  take: acting('take', both, 'take a thing from a place', 'from'),
  put: acting('put', both, 'put a thing in or on a place', 'in/on'),
  toggle: { ...acting('toggle', ['obj'], 'switch a thing on or off'), pythonArgs: ['recep'] },
  open: acting('open', ['recep'], 'open a place'),
  close: acting('close', ['recep'], 'close a place'),
  heat: acting('heat', both, 'heat a thing with another', 'with'),
  cool: acting('cool', both, 'cool a thing with another', 'with'),
  clean: acting('clean', both, 'clean a thing with another', 'with'),
  examine: {
    ...acting('examine', ['recep', 'obj'], 'look closely at a thing, with another where need be', 'with'),
    minArgs: 1,
  },
  inventory: acting('inventory', [], 'list what you carry'),
  look: acting('look', [], 'describe where you are'),
  use: acting('use', ['obj'], 'use a thing, such as a lamp'),
};

const OpeningSchema = v.object({ observation: text, available_actions: texts });
const AnswerSchema = v.object({ observation: text, available_actions: texts, reward: number, done: flag });

/** Number of training games; the held-out games follow them. */
const TRAINING_GAMES = 2420;
const HELD_OUT_GAMES = 200;

const what =
  'You are in a house, and have a task to do there with the things that are in it. Each turn you read what you see and act once. "Nothing happens" means that the action was not possible: try another one.';

export const alfworld: AgentGymKind = {
  kind: 'alfworld',
  title: 'ALFWorld',
  summary: 'Do a chore in a house in text: find things, carry, clean, heat and cool them.',
  instruction:
    `${what}\nFirst you are told which actions are available; an action must be one of those available at its time. ` +
    'Answer strictly in this format:\nThought:\nyour thoughts.\n\nAction:\nyour next action\nThe thought may be left out.\n',
  acknowledgement: "OK. I'll follow your instructions and try my best to solve the task.",
  reply: lastAction,
  formats: functionFormats(what, functions),
  credit:
    'ALFWorld: Shridhar et al. (arXiv 2010.03768), github.com/alfworld/alfworld, MIT; as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT.',
  successReward: 1,
  hasValidActions: true,
  budget: { promptTokens: 1024, observationTokens: 60, oracleTurns: 10 },
  items: (split) =>
    split === 'test' ? range(TRAINING_GAMES, TRAINING_GAMES + HELD_OUT_GAMES - 1) : range(0, TRAINING_GAMES - 1),
  greeting: 'This is environment AlfWorld.',
  idField: 'id',
  create: { id: idIn },
  closes: false,
  async reset(requests, item) {
    const asked = await requests.post('/reset', { game: item, world_type: 'Text' });
    const { observation, available_actions } = readAnswer('POST /reset', OpeningSchema, asked);
    return {
      observation: `${observation}\nAVAILABLE ACTIONS: ${available_actions.join(',')}`,
      validActions: available_actions,
    };
  },
  answer(value) {
    const { available_actions, observation, reward, done } = readAnswer('POST /step', AnswerSchema, value);
    return { observation, reward, done, validActions: available_actions };
  },
  refused: /^Nothing happen(?:s|ed)/,
};
