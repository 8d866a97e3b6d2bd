/** Knobs of the worlds. Those of a world's options are made from the schema in its module: words and bounds stand once. */
import type * as v from 'valibot';
import type { WorldModule } from '../envs/module.ts';
import type { OptionWords } from '../envs/options.ts';
import type { FieldKind } from '../fields/reader.ts';
import { worldModules, worldNames } from '../worlds/registry.ts';
import { type Extra, type Knob, knob, range } from './knob.ts';

/** Of a schema, what a knob is made from. */
interface Part {
  type: string;
  options?: readonly string[];
  item?: Part;
  wrapped?: Part;
  default?: unknown;
  requirement?: number;
  metadata?: OptionWords;
  pipe?: readonly Part[];
}

const pipeOf = (part: Part): readonly Part[] =>
  part.pipe?.flatMap((each) => (each === part ? [] : each.pipe ? pipeOf(each) : [each])) ?? [part];

const requirementOf = (part: Part, type: string) => pipeOf(part).find((each) => each.type === type)?.requirement;

function kindOf(part: Part): FieldKind {
  if (part.type === 'array') return part.item?.type === 'number' ? 'integers' : 'choices';
  if (part.type === 'picklist') return 'choice';
  if (part.type === 'boolean') return 'boolean';
  if (part.type === 'string') return 'text';
  return pipeOf(part).some(({ type }) => type === 'integer') ? 'integer' : 'real';
}

/** The bounds of a number or of a list's numbers, and what is chosen from. */
function boundsOf(part: Part, kind: FieldKind, { step, choices, choiceLabels }: OptionWords): Extra {
  const of = part.item ?? part;
  const [min, max] = ['min_value', 'max_value'].map((type) => requirementOf(of, type));
  const offered = of.options ?? choices;
  return {
    ...(min === undefined || max === undefined ? {} : range(min, max, step ?? (kind === 'real' ? undefined : 1))),
    ...(offered && { choices: offered }),
    ...(choiceLabels && { choiceLabels }),
  };
}

function optionKnob({ name }: WorldModule, key: string, entry: Part): Knob {
  const part = entry.wrapped ?? entry;
  const words = pipeOf(part).find(({ type }) => type === 'metadata')!.metadata!;
  const kind = kindOf(part);
  return knob(`worlds.*.options.${key}`, words.label, words.sentence, kind, words.level ?? 'advanced', 'fork', {
    ...boundsOf(part, kind, words),
    id: `worlds.${name}.${key}`,
    unit: words.unit ?? '',
    worlds: [name],
    fallback: entry.default,
  });
}

const optionKnobs = (module: WorldModule): Knob[] =>
  Object.entries(module.options.schema.entries as { [key: string]: v.GenericSchema }).map(([key, entry]) =>
    optionKnob(module, key, entry as unknown as Part),
  );

export const worldKnobs: Knob[] = [
  knob('worlds.*.name', 'World', 'Which world the agent acts in.', 'choice', 'basic', 'restart', {
    choices: worldNames,
    choiceLabels: Object.fromEntries(worldModules.map(({ name, title }) => [name, title])),
    choiceGroups: Object.fromEntries(worldModules.flatMap(({ name, group }) => (group ? [[name, group]] : []))),
  }),
  knob(
    'worlds.*.weight',
    'Share',
    'How often a group is drawn from this world, relative to the other worlds of the mixture.',
    'real',
    'advanced',
    'fork',
    range(0, 1000, 0.1),
  ),
  knob(
    'worlds.*.evaluated',
    'Evaluated',
    'Whether evaluations ask the tasks of this entry too; switched off, it is only trained on.',
    'boolean',
    'advanced',
    'fork',
  ),
  ...worldModules.flatMap(optionKnobs),
];
