/** Options of the world Phone. Independent of apps and layout. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, listOf, option, toggle, whole } from '../../fields/fields.ts';

const templateName = v.pipe(
  v.string('must be the name of a template'),
  v.maxLength(80, 'must have at most 80 letters'),
);

const columns = ['routine', 'instruction', 'complex', 'exception'] as const;
export type Column = (typeof columns)[number];

/** First number of the held-out tasks of a template. */
export const firstHeldOut = 500_000;

const schema = v.strictObject({
  columns: option(listOf('columns', choice([...columns])), [...columns], {
    label: 'Kinds of tasks',
    sentence:
      'Kinds of tasks, by the columns of MagicGUI: everyday tasks, step-by-step instructions, several apps, exceptions.',
    level: 'basic',
    choiceLabels: {
      routine: 'Routine',
      instruction: 'Instruction',
      complex: 'Complex',
      exception: 'Handling exception',
    },
  }),
  templates: option(listOf('templates', templateName, 0), [], {
    label: 'Templates',
    sentence: 'Names of the templates from which tasks are made; empty for all of the chosen kinds.',
  }),
  items: option(whole(3, 10), 6, {
    label: 'Items of an app',
    sentence: 'Number of contacts, songs, products and the like: with more of them there is more to scroll.',
    unit: 'items',
    level: 'basic',
  }),
  instances: option(whole(1, 100_000), 200, {
    label: 'Training instances',
    sentence: 'Number of training instances of each template: with more instances, none can be memorised.',
    unit: 'a template',
    level: 'basic',
  }),
  testInstances: option(whole(1, 10_000), 10, {
    label: 'Held-out instances',
    sentence: 'Number of instances of each template available for evaluations, with names that training never shows.',
    unit: 'a template',
  }),
  heldOutTemplates: option(toggle(), true, {
    label: 'Held-out templates',
    sentence: 'Evaluations include tasks of templates that are never used in training.',
  }),
  observation: option(choice(['full', 'brief']), 'full', {
    label: 'Observation',
    sentence:
      'Form of the screens: every element with its kind, state and box, or, for tiny policies, numbered names in a few words.',
    level: 'basic',
    choiceLabels: { full: 'In full', brief: 'Few words' },
  }),
  actions: option(choice(['coordinates', 'points', 'numbers', 'names']), 'coordinates', {
    label: 'Listed actions',
    sentence:
      'Form of the valid actions: by coordinates as in MagicGUI, by the digits of a point for tiny policies (tap 4 8 0 1 3 5), by the number of an element, or by its name and number. All are understood.',
    level: 'basic',
    choiceLabels: {
      coordinates: 'Coordinates',
      points: 'Digits of a point',
      numbers: 'Element numbers',
      names: 'Names and numbers',
    },
  }),
  popups: option(whole(0, 100), 10, {
    label: 'Pop-ups',
    sentence: 'Share of the tasks in which an offer that nobody asked for covers an app when it opens.',
    unit: '% of tasks',
  }),
  slow: option(whole(0, 100), 15, {
    label: 'Slow apps',
    sentence: 'Share of the apps that load first, so that the agent must wait.',
    unit: '% of apps',
  }),
  largeFont: option(whole(0, 100), 20, {
    label: 'Large font',
    sentence: 'Share of the phones with a large font, on which less fits a screen.',
    unit: '% of tasks',
  }),
  partial: option(toggle(), false, {
    label: 'Partial reward',
    sentence: 'Reward each turn with half of the share of changes made; if off, only a success is rewarded.',
    level: 'basic',
  }),
  stepReward: option(toggle(), false, {
    label: 'Reward of the steps',
    sentence:
      'Reward each turn with half of the mean of its steps by MagicGUI: right form, right target, and the distance to it.',
  }),
  distance: option(toggle(), true, {
    label: 'Distance in that reward',
    sentence:
      'The reward of a step falls with the distance to the right point; if off, only form and target count. Without a reward of the steps it has no effect.',
  }),
  seed: option(whole(0, 0xffffffff), 1, {
    label: 'Seed of the phones',
    sentence: 'Seed from which phones and tasks are drawn; another seed gives others.',
  }),
  instruction: instructionField,
});

export type PhoneOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parsePhoneOptions = optionsReader('Phone', schema);
