/** Knobs of the algorithms, read back from their schemas: label, sentence and bounds stand in `rl/algorithms/` alone. */
import * as v from 'valibot';
import type { FieldKind } from '../fields/reader.ts';
import type { FieldExtra } from '../rl/algorithms/fields.ts';
import { algorithms } from '../rl/algorithms/registry.ts';
import { type Extra, type Knob, knob } from './knob.ts';

/** What is read of a valibot schema. */
interface AnySchema {
  type: string;
  entries?: { readonly [key: string]: AnySchema };
  wrapped?: AnySchema;
  pipe?: readonly AnySchema[];
  options?: readonly string[];
  requirement?: unknown;
}

/** A field of a schema that a person may set. */
interface Field {
  path: string;
  schema: AnySchema;
}

const wrappers = new Set(['optional', 'nullable']);

function fieldsOf(schema: AnySchema, path: string): Field[] {
  if (wrappers.has(schema.type)) return fieldsOf(schema.wrapped!, path);
  if (schema.entries) return Object.entries(schema.entries).flatMap(([key, each]) => fieldsOf(each, `${path}.${key}`));
  return schema.type === 'literal' ? [] : [{ path, schema }];
}

const requirement = ({ pipe }: AnySchema, type: string) =>
  pipe?.find((each) => each.type === type)?.requirement as number | undefined;

function kindOf(schema: AnySchema): FieldKind {
  const base = schema.pipe?.[0] ?? schema;
  if (base.type === 'picklist') return 'choice';
  if (base.type === 'boolean') return 'boolean';
  if (base.type === 'string') return 'text';
  return schema.pipe?.some((each) => each.type === 'integer') ? 'integer' : 'real';
}

const present = (extra: Extra): Extra =>
  Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined));

function knobOf({ path, schema }: Field, names: readonly string[]): Knob {
  const known = schema as unknown as v.GenericSchema;
  const { field = {} } = v.getMetadata(known) as { field?: FieldExtra };
  const { level = 'advanced', ...rest } = field;
  const base = schema.pipe?.[0] ?? schema;
  return knob(path, v.getTitle(known) ?? path, v.getDescription(known) ?? '', kindOf(schema), level, 'fork', {
    ...rest,
    ...present({
      min: requirement(schema, 'min_value'),
      max: requirement(schema, 'max_value'),
      longest: requirement(schema, 'max_length'),
      choices: base.type === 'picklist' ? base.options : undefined,
    }),
    ...(names.length < algorithms.length ? { algorithms: names } : {}),
  });
}

/** Fields that several algorithms have stand once; a test holds their bounds to be the same. */
function algorithmFields(): Knob[] {
  const found = new Map<string, { field: Field; names: string[] }>();
  for (const { name, schema } of algorithms)
    for (const field of fieldsOf(schema as unknown as AnySchema, 'algorithm')) {
      const known = found.get(field.path);
      if (known) known.names.push(name);
      else found.set(field.path, { field, names: [name] });
    }
  // A program is read last: after what it reads.
  const all = [...found.values()].map(({ field, names }) => knobOf(field, names));
  return [...all.filter(({ kind }) => kind !== 'code'), ...all.filter(({ kind }) => kind === 'code')];
}

/** Of the parts that come before the run's own algorithm; the fields of their algorithms are the run's. */
export const stageKnobs: Knob[] = [
  knob(
    'stages.*.steps',
    'Stage steps',
    'How many steps the run goes by this algorithm before the next.',
    'integer',
    'basic',
    'fork',
    {
      min: 1,
      max: 1_000_000,
      step: 1,
      unit: 'steps',
    },
  ),
  knob('stages.*.learningRate', 'Stage learning rate', 'Size of the updates of this stage.', 'real', 'basic', 'fork', {
    min: 0,
    max: 1,
    step: 0.0001,
    nullMeans: "the optimiser's",
  }),
];

export const algorithmKnobs: Knob[] = [
  knob(
    'algorithm.name',
    'Algorithm',
    'What turns the returns of a step into an update; each has its own settings below.',
    'choice',
    'basic',
    'fork',
    {
      choices: algorithms.map(({ name }) => name),
      choiceLabels: Object.fromEntries(algorithms.map(({ name, label }) => [name, label])),
    },
  ),
  ...algorithmFields(),
];
