/**
 * Every knob of an experiment, read from its schema: the page's setup, docs/experiment.md and `--help` take path, label,
 * sentence, unit, bounds and the cost of a change from here. `*` in a path stands for an index.
 */
import { fieldsOf } from '../fields/reader.ts';
import { worldModules } from '../worlds/registry.ts';
import { type Experiment, ExperimentSchema } from './experiment.ts';
import { type Extra, type Knob, knobOf } from './knob.ts';
import { algorithmKnobs } from './knobs-algorithm.ts';
import { goalKnobs } from './knobs-goals.ts';
import { rewardKnobs } from './knobs-reward.ts';
import { optionKnobs } from './knobs-world.ts';
import { policyKnobs } from './policies/registry.ts';

const own = fieldsOf(ExperimentSchema);

/** Knobs of the document's own fields at a path or below it. */
const at = (path: string, extra: Extra = {}): Knob[] =>
  own.filter((field) => field.path === path || field.path.startsWith(`${path}.`)).map((field) => knobOf(field, extra));

const choiceGroups = Object.fromEntries(worldModules.flatMap(({ name, group }) => (group ? [[name, group]] : [])));

/** All knobs, in the order of the page. */
export const knobs: readonly Knob[] = [
  ...at('name'),
  ...at('description'),
  ...at('steps'),
  ...at('seed'),
  ...at('worlds.*.name', { choiceGroups }),
  ...at('worlds.*.weight'),
  ...at('worlds.*.evaluated'),
  ...at('worlds.*.turns'),
  ...optionKnobs,
  ...at('horizon.*.turns'),
  ...at('horizon.*.steps'),
  ...at('horizon.*.advanceAt'),
  ...at('stages'),
  ...rewardKnobs,
  ...goalKnobs,
  ...algorithmKnobs,
  ...at('sampling'),
  ...at('optimizer'),
  ...policyKnobs,
  ...at('evaluation'),
  ...at('sweep'),
];

const byPath = new Map<string, Knob[]>();
for (const each of knobs) byPath.set(each.path, [...(byPath.get(each.path) ?? []), each]);

/** The algorithm of a stage has the same fields as that of the run. */
const patternOf = (path: string): string =>
  path.replace(/^stages\.(\d+|\*)\.(?=algorithm\b)/, '').replace(/\.\d+(?=\.|$)/g, '.*');

/**
 * Finds the knob of a concrete path (`horizon.0.steps`) or of a pattern (`horizon.*.steps`). Options of different
 * worlds may have the same name: the world is read from `document`.
 */
export function findKnob(path: string, document?: Pick<Experiment, 'worlds'>): Knob | undefined {
  const found = byPath.get(path) ?? byPath.get(patternOf(path)) ?? [];
  const entry = document && /^worlds\.(\d+)\./.exec(path)?.[1];
  const name = entry === undefined ? undefined : document?.worlds[Number(entry)]?.name;
  return (name === undefined ? undefined : found.find(({ worlds }) => worlds?.includes(name))) ?? found[0];
}
