/** Options of the world Web, with their labels and bounds. */
import * as v from 'valibot';
import { optionsReader } from '../../envs/options.ts';
import { choice, listOf, option, toggle, whole } from '../../fields/fields.ts';

const siteNames = ['shop', 'shop_admin', 'forum', 'tracker', 'map', 'wiki'] as const;
const turnNames = ['short', 'medium', 'long'] as const;
export const verbNames = ['click', 'hover', 'type', 'press', 'scroll', 'tab', 'history', 'stop'] as const;

const schema = v.strictObject({
  sites: option(listOf('sites', choice(siteNames)), [...siteNames], {
    label: 'Sites',
    sentence: 'Sites that tasks may use; a task of several sites is included only if all of its sites are listed.',
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
  turns: option(listOf('lengths', choice(turnNames)), [...turnNames], {
    label: 'Length',
    sentence: 'Short tasks take one or two actions, medium ones about four, long ones more.',
    level: 'basic',
    choiceLabels: { short: 'Short', medium: 'Medium', long: 'Long' },
  }),
  templates: option(listOf('templates', v.pipe(v.string('must be the name of a template'), v.maxLength(80)), 0), [], {
    label: 'Templates',
    sentence: 'Names of the templates from which tasks are made; empty for all.',
  }),
  instances: option(whole(1, 800), 100, {
    label: 'Training instances',
    sentence: 'Number of training instances of each template: with more instances, none can be memorised.',
    unit: 'a template',
    level: 'basic',
  }),
  testInstances: option(whole(1, 200), 5, {
    label: 'Held-out instances',
    sentence: 'Number of instances of each template available for evaluations; none of them is used in training.',
    unit: 'a template',
  }),
  heldOutTemplates: option(toggle(), true, {
    label: 'Held-out templates',
    sentence: 'Evaluations include tasks of templates that are never used in training.',
  }),
  screenLines: option(whole(0, 500), 60, {
    label: 'Screen',
    sentence: 'Number of lines of a page that are visible at once; 0 shows the whole page.',
    unit: 'lines',
    level: 'basic',
  }),
  observation: option(choice(['full', 'compact', 'terse', 'named']), 'full', {
    label: 'Observation',
    sentence:
      "Content of each observation: WebArena's prompt with address and last action; only the objective and the tree; or, for tiny policies, the objective and the named lines of the tree, in a third of the length, with an element's id before its name or after it.",
    level: 'basic',
    choiceLabels: { full: 'Full', compact: 'Compact', terse: 'Terse', named: 'Terse, ids last' },
  }),
  verbs: option(listOf('actions', choice(verbNames)), [...verbNames], {
    label: 'Actions offered',
    sentence: 'Kinds of actions that are listed for policies limited to valid actions.',
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
  judge: option(choice(['stop', 'step']), 'stop', {
    label: 'Judged',
    sentence:
      'An episode is judged when the agent stops, as in WebArena, or after every action, in which case it ends as soon as the goal is reached.',
    level: 'basic',
    choiceLabels: { stop: 'At stop', step: 'At each action' },
  }),
  upstream: option(toggle(), false, {
    label: 'Original limits',
    sentence:
      "End an episode like WebArena's runner: after 30 actions, three invalid actions in a row, or three repetitions of an action.",
  }),
});

export type WebOptions = v.InferOutput<typeof schema>;
export const parseWebOptions = optionsReader('The web', schema);
