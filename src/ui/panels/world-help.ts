/** Help of the world editor: the functions of a typed world, its views, and the rules of the sandbox. */
import { msg } from '@lit/localize';
import { type CodeHelp, renderCodeHelp } from './code-help.ts';

const viewForms = [
  "{ lines: ['one', 'two'] }",
  "{ grid: ['#.#', '#@#'] }",
  "{ table: { columns: ['item', 'price'], rows: [['tea', 2]] } }",
  "{ picture: { width: 10, height: 6, text: 'two discs', shapes: [{ kind: 'circle', x: 2, y: 3, size: 2, colour: 'red' }] } }",
];

const help = (): CodeHelp => ({
  summary: msg('Functions, views and rules'),
  rows: [
    [
      'tasks(seed)',
      msg(
        'Returns a list of JSON values, made from the seed. A share is held out for evaluations; tasks(seed, split) divides them itself, with split “train” or “test”.',
      ),
    ],
    ['reset(task)', msg('Begins an episode and returns its first text.')],
    [
      'step(action)',
      msg(
        'Takes any text and returns { text, reward, done, valid }. The last reward of an episode counts: 1 is success, and a value between 0 and 1 is a part of the way.',
      ),
    ],
    [
      'validActions()',
      msg(
        'Returns the actions to choose from, texts of one line, or null for no list. The random player and a policy from random weights need a list.',
      ),
    ],
    [
      'oracle()',
      msg(
        'Optional: returns a good player’s next action, the list of its remaining actions, or null. Training begins with imitation of it.',
      ),
    ],
    ['view()', msg('Optional: returns what people see, a text, one of the forms below, or a list of them.')],
  ],
  forms: { label: msg('Forms of a view'), lines: viewForms },
  notes: [
    msg(
      'A shape is a circle, square, triangle, text (with label) or line (with x2 and y2); a colour is black, grey, red, orange, green, blue or purple.',
    ),
    msg(
      'Each episode has a fresh copy of the code. Math.random() draws from the seed and the task, so the same actions give the same answers. oracle, view and validActions must not change variables.',
    ),
    msg(
      'Write export before each function. There is no import, await, clock, network or page. A call has limits of time and memory, and a message names the one that was exceeded.',
    ),
    msg('A tiny policy reads whole words: short texts of few different words are learned fastest.'),
  ],
});

export const worldHelp = () => renderCodeHelp(help());
