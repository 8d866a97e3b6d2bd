/** The web's module: what it is and what it needs. What plays it (sites, browser, judges) is loaded when it is opened. */
import * as v from 'valibot';
import type { WorldModule } from '../../envs/module.ts';
import { listOf, oneOf, option, optionsReader, whole, yesOrNo } from '../../envs/options.ts';
import { backticks } from './backticks.ts';
import { offeredInWeb } from './offered.ts';

export const siteNames = ['shop', 'shop_admin', 'forum', 'tracker', 'map', 'wiki'] as const;
export const turnNames = ['short', 'medium', 'long'] as const;
export const verbNames = ['click', 'hover', 'type', 'press', 'scroll', 'tab', 'history', 'stop'] as const;

const schema = v.strictObject({
  sites: option(listOf('sites', oneOf(siteNames)), [...siteNames], {
    label: 'Sites',
    sentence: 'Which sites tasks are taken from; a task of several sites needs all of them here.',
    level: 'basic',
    choiceLabels: {
      shop: 'Shop',
      shop_admin: 'Shop administration',
      forum: 'Forum',
      tracker: 'Project tracker',
      map: 'Map',
      wiki: 'Wiki',
    },
  }),
  turns: option(listOf('lengths', oneOf(turnNames)), [...turnNames], {
    label: 'Length',
    sentence: 'Short tasks take one or two actions, medium ones about four, long ones more.',
    level: 'basic',
    choiceLabels: { short: 'Short', medium: 'Medium', long: 'Long' },
  }),
  templates: option(listOf('templates', v.pipe(v.string('must be the name of a template'), v.maxLength(80)), 0), [], {
    label: 'Templates',
    sentence: 'Only tasks made from these templates, by name; none named: all.',
  }),
  instances: option(whole(1, 800), 100, {
    label: 'Training instances',
    sentence: 'How many instances of each template are trained on: with more of them, none is learnt by heart.',
    unit: 'a template',
    level: 'basic',
  }),
  testInstances: option(whole(1, 200), 5, {
    label: 'Held-out instances',
    sentence: 'How many instances of each template an evaluation may ask; none of them is trained on.',
    unit: 'a template',
  }),
  heldOutTemplates: option(yesOrNo(), true, {
    label: 'Held-out templates',
    sentence: 'Ask also tasks of templates that are never trained on.',
  }),
  screenLines: option(whole(0, 500), 60, {
    label: 'Screen',
    sentence: 'How many lines of a page are seen at once; 0 shows every page whole.',
    unit: 'lines',
    level: 'basic',
  }),
  observation: option(oneOf(['full', 'compact', 'terse']), 'full', {
    label: 'Observation',
    sentence:
      "What is told each turn: WebArena's prompt with address and last action, the objective and the tree alone, or, for tiny policies, the objective and what the tree's lines name, in a third of the words.",
    level: 'basic',
    choiceLabels: { full: 'Full', compact: 'Compact', terse: 'Terse' },
  }),
  verbs: option(listOf('actions', oneOf(verbNames)), [...verbNames], {
    label: 'Actions offered',
    sentence: 'Which kinds of actions are listed for policies whose choice is limited to valid ones.',
    choiceLabels: {
      click: 'Click',
      hover: 'Hover',
      type: 'Type',
      press: 'Press keys',
      scroll: 'Scroll',
      tab: 'Change tab',
      history: 'Back and forward',
      stop: 'Stop with an answer',
    },
  }),
  judge: option(oneOf(['stop', 'step']), 'stop', {
    label: 'Judged',
    sentence:
      'An episode is judged when the agent says stop, as in WebArena, or after every action, and ends once its goal is reached.',
    level: 'basic',
    choiceLabels: { stop: 'At stop', step: 'At each action' },
  }),
  upstream: option(yesOrNo(), false, {
    label: 'Original limits',
    sentence:
      "End an episode as WebArena's runner does: after 30 actions, three that cannot be read, or three times the same.",
  }),
});

export type WebOptions = v.InferOutput<typeof schema>;
export const parseWebOptions = optionsReader('The web', schema);

/** Before the action, as the instruction shows it. */
const lastWords = 'In summary, the next action I will perform is';

export const web: WorldModule = {
  name: 'web',
  title: 'Web',
  summary: 'Shop, post, review merge requests, find a way or look something up on six small sites.',
  // Our own words for what the original client's instruction says; the actions and the answer format are the same.
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
  offeredIn: offeredInWeb,
  writeReply: (action) => `${lastWords} \`\`\`${action}\`\`\``,
  credit:
    'Observation, actions and judges: WebArena, Zhou et al. (arXiv 2307.13854), github.com/web-arena-x/webarena, Apache-2.0, as served by AgentGym (arXiv 2406.04151), github.com/WooooDyy/AgentGym, MIT. The sites, their contents and the tasks are our own.',
  hasOracle: true,
  hasValidActions: true,
  successReward: 1,
  freeRunning: false,
  replayable: true,
  options: parseWebOptions,
  vocabulary: {
    // The words of the full observation, of errors and of actions; a name that was not heard is spelled.
    texts: [
      'OBSERVATION: Tab 0 (current): URL: http://shop.test/?q= OBJECTIVE: PREVIOUS ACTION: None where is page_focus',
      'Attempt to perfom "click" on element "[1]" but no matching element found. Please check the observation more carefully.',
      'Invalid action click type hover press scroll goto new_tab tab_focus close_tab go_back go_forward stop up down Enter Tab Backspace Control+a N/A',
    ],
    play: {
      options: [
        {
          observation: 'compact',
          instances: 3,
          testInstances: 2,
          screenLines: 0,
          verbs: ['click', 'press', 'scroll', 'tab', 'history', 'stop'],
        },
      ],
      begun: 300,
      played: 130,
      randomTurns: 1,
      spread: true,
      probes: [],
      closing: [],
    },
  },
  budget: {
    tiny: { promptTokens: 1024, completionTokens: 4096, maxTokensPerTurn: 32 },
    // A whole page of ours has at most 5,000 characters.
    language: () => ({ promptTokens: 2600, observationTokens: 1700, oracleTurns: 5 }),
  },
  view: 'web',
  connection: { kind: 'page', timeoutMs: 60_000 },
  frame: async () => (await import('virtual:frame/web')).default,
  agentgym: async () => (await import('./agentgym.ts')).agentGymForm,
  open: async () => (await import('./world.ts')).Web.open(),
};
