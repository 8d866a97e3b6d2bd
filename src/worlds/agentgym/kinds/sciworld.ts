/**
 * AgentGym's ScienceWorld server, which runs one Java simulator for each environment. Scores range from -100 to 100.
 */
import * as v from 'valibot';
import { lastAction } from '../../../envs/reply.ts';
import { idIn, readAnswer, scoreAnswer, text } from '../answers.ts';
import { type ActionFunction, acting, functionFormats } from '../functions.ts';
import { modelledOn } from '../kind.ts';

const one = (verb: string, description: string, arg = 'obj') => acting(verb, [arg], description);

const wait: ActionFunction = {
  args: ['duration'],
  description: 'do nothing for so many iterations (1 or 10)',
  write: ([duration]) => (duration === undefined ? 'wait' : `wait${duration}`),
};
const choose: ActionFunction = {
  args: ['option'],
  description: 'answer a question of the world with a number',
  write: ([option]) => option ?? 'choose',
};

const functions = {
  open: one('open', 'open a door or a container'),
  close: one('close', 'close a door or a container'),
  activate: one('activate', 'switch a device on'),
  deactivate: one('deactivate', 'switch a device off'),
  connect: acting('connect', ['obj1', 'obj2'], 'join two electrical parts', 'to'),
  disconnect: one('disconnect', 'take an electrical part off'),
  use: { ...acting('use', ['tool', 'obj'], 'use a tool, on something where need be', 'on'), minArgs: 1 },
  lookaround: acting('look around', [], 'describe the room'),
  lookat: one('look at', 'describe a thing'),
  read: one('read', 'read a note or a book'),
  move: acting('move', ['obj', 'container'], 'put a thing into a container', 'to'),
  pickup: one('pick up', 'take a thing'),
  drop: one('drop', 'put a thing down'),
  pour: acting('pour', ['liq', 'container'], 'pour a liquid into a container', 'into'),
  dunk: acting('dunk', ['container', 'liq'], 'dunk a container in a liquid', 'in'),
  mix: one('mix', 'mix what is in a container', 'container'),
  goto: one('go to', 'go to another room', 'loc'),
  eat: one('eat', 'eat a food', 'food'),
  flush: one('flush', 'flush a toilet'),
  focus: one('focus on', 'say which thing your task is about'),
  wait,
  choose,
  examine: one('examine', 'describe a thing closely'),
  task: acting('task', [], 'tell the task again'),
  inventory: acting('inventory', [], 'list what you carry'),
};

const OpeningSchema = v.object({ task_description: text, observation: text });
export const sciworld = modelledOn('sciworld', (own) => ({
  kind: own.name,
  title: 'ScienceWorld',
  summary: own.summary,
  instruction: own.instruction,
  acknowledgement: "OK. I'll follow your instructions and try my best to solve the task.",
  reply: lastAction,
  formats: functionFormats(
    'You are in a house where you can do science experiments. Each turn you read an observation and act once, until the task that you are told is done.',
    functions,
  ),
  credit: own.credit,
  successReward: 100,
  hasValidActions: false,
  vocabulary: { as: own.name },
  budget: own.budget.language({}),
  tiny: own.budget.tiny,
  ...own.agentgymItems!,
  greeting: 'This is environment ScienceWorld.',
  idField: 'id',
  create: { id: idIn },
  closes: true,
  async reset(requests, item) {
    const answer = readAnswer('POST /reset', OpeningSchema, await requests.post('/reset', { data_idx: item }));
    return { observation: `${answer.task_description}\n${answer.observation}` };
  },
  answer: scoreAnswer,
  refused: /^No known action matches that input/,
}));
