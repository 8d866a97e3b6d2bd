/** Options of the world Web, with their labels and bounds. */
import * as v from 'valibot';
import { listOf, oneOf, option, optionsReader, whole, yesOrNo } from '../../envs/options.ts';

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
