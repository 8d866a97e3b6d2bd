/** Description of the web: the facts that both its module and its client need. */
import type { WorldDescription } from '../../envs/env.ts';
import { backticks } from './backticks.ts';

/** Phrase that introduces the action, as in the instruction. */
const lastWords = 'In summary, the next action I will perform is';

export const webDescription: WorldDescription = {
  name: 'web',
  title: 'Web',
  summary: 'Shop, post, review merge requests, find a way or look something up on six small sites.',
  // Our own wording of the original client's instruction. Actions and answer format are the same.
  instruction:
    'You steer a web browser to reach an objective. Each turn you get: the accessibility tree of the page, one element a line with its ' +
    'id in brackets; the address of the page; the tabs that are open; the objective; and your previous action.\n' +
    'The actions are:\n' +
    '- click [id]: click on an element\n' +
    '- type [id] [content] [press_enter_after=0|1]: type into a field; Enter follows unless it ends in [0]\n' +
    '- hover [id]: move the pointer over an element\n' +
    '- press [key_comb]: press keys, as in press [Control+a]\n' +
    '- scroll [down] or scroll [up]\n' +
    '- new_tab, tab_focus [tab_index], close_tab: work with tabs\n' +
    '- goto [url], go_back, go_forward: move between pages\n' +
    '- stop [answer]: the objective is reached; give the answer if one is asked for. If it cannot be reached, answer N/A.\n' +
    'Only act on ids that you see now. Give one action a turn. Think first, then end with the action between three backticks, as in: ' +
    `${lastWords} \`\`\`click [12]\`\`\`\n`,
  reply: backticks,
  writeReply: (action) => `${lastWords} \`\`\`${action}\`\`\``,
  credit:
    'Observation, actions and judges: WebArena, Zhou et al. (arXiv 2307.13854), github.com/web-arena-x/webarena, Apache-2.0, as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT. The sites, their contents and the tasks are our own.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
};
