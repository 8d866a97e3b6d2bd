/** Options of the worlds of tools. A family adds those of its own data. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { callsField } from '../../envs/tools.ts';
import { choice, listOf, option, toggle, whole } from '../../fields/fields.ts';

/** First number of the held-out tasks of a template. */
export const firstHeldOut = 500_000;

const name = (of: string) =>
  v.pipe(v.string(`must be the name of a ${of}`), v.maxLength(80, 'must have at most 80 letters'));

const common = {
  templates: option(listOf('templates', name('template'), 0), [], {
    label: 'Templates',
    sentence: 'Names of the templates from which tasks are made; empty for all.',
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
    sentence: 'Form of the answers: JSON as the tools return it, or, for tiny policies, a few words.',
    level: 'basic',
    choiceLabels: { full: 'In full', brief: 'Few words' },
  }),
  offered: option(listOf('tools', name('tool'), 0), [], {
    label: 'Tools offered',
    sentence: 'Tools whose calls are listed for policies limited to valid actions; empty for all.',
  }),
  partial: option(toggle(), true, {
    label: 'Partial reward',
    sentence: 'Reward each turn with half of the share of subgoals reached; if off, only a success is rewarded.',
    level: 'basic',
  }),
  seed: option(whole(0, 0xffffffff), 1, {
    label: 'Seed of the data',
    sentence: 'Seed from which the data are drawn; another seed gives other tasks.',
  }),
  upstream: option(toggle(), false, {
    label: "AgentGym's rules",
    sentence: "Follow AgentGym's tool server exactly: its form of actions, its texts and its judging with its faults.",
  }),
  instruction: instructionField,
  calls: callsField,
};

/** Whether listed calls name what an id stands for; for families whose ids have names (`Instance.nameOf`). */
export const namesField = option(toggle(), false, {
  label: 'Names in calls',
  sentence:
    'Listed calls have the name before the id (get_tasks Blue Garden 31): a tiny policy copies the name from the goal and reads the id after it.',
});

type Own = ReturnType<typeof size> | typeof namesField;

/** Options reader of a family. `own`: sizes of its data as whole numbers, and its other options. */
export const toolsOptions = (title: string, own: { readonly [name: string]: Own }) =>
  optionsReader(title, v.strictObject({ ...own, ...common }));

/** Field of a size of the data. */
export const size = (
  least: number,
  most: number,
  usual: number,
  facts: { label: string; sentence: string; unit: string },
) => option(whole(least, most), usual, { ...facts, level: 'basic' as const });

export type ToolsOptions = {
  readonly [name in keyof typeof common]: v.InferOutput<(typeof common)[name]>;
} & { readonly [size: string]: unknown };
