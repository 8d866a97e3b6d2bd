/** Description of the phone: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { ownInstruction } from '../../envs/instruction.ts';
import { lastAction } from '../../envs/reply.ts';
import { parsePhoneOptions } from './options.ts';

export const phoneDescription: WorldDescription = {
  name: 'phone',
  title: 'Phone',
  summary: 'Do a task on a phone with eight apps: tap, scroll and type.',
  // Our own wording; the functions are those of MagicGUI.
  instruction:
    'You use a phone for a person. Each turn you read the screen: its elements with number, kind, text, state and box [left,top,right,bottom], in thousandths of the screen. Then you call one function:\n' +
    'tap(x,y)\nlong_press(x,y)\nscroll(x,y,direction): the direction in which the finger moves, up, down, left or right\ntext(x,y,text): fills the field at this point\n' +
    'drag(x1,y1,x2,y2)\nenter()\nnavigate_back()\nnavigate_home()\nwait(): while an app loads\ncall_api(app,operation): open or kill an app\nscreen_shot()\nlong_screen_shot()\n' +
    'finish(): the task is done\nno_answer(): the task cannot be done\ntake_over(message): a person must go on, as with a password\n' +
    'Change nothing that the task does not ask for. Write a turn as:\nThought:\nyour thoughts.\n\nAction:\ntap(500,120)\n',
  acknowledgement: 'Ok.',
  reply: lastAction,
  writeReply: (action) => `Action:\n${action}`,
  under: ownInstruction(parsePhoneOptions),
  credit:
    "Actions, their grammar and the measures of a step: MagicGUI (arXiv 2508.03700), github.com/MagicAgent-GUI/MagicGUI, Apache-2.0; false completion and unexpected side effects: MobileGym (arXiv 2605.26114). Apps, tasks, layout and program are this project's own.",
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
