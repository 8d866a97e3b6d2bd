/** Settings of the page compared with the schema of an experiment and the options of the worlds. */
import { describe, expect, test } from 'vitest';
import { ExperimentSchema } from '../../src/experiment/experiment.ts';
import { findKnob, knobs } from '../../src/experiment/knobs.ts';
import { worldModules } from '../../src/worlds/registry.ts';

interface Leaf {
  path: string;
  min?: number;
  max?: number;
  /** Longest text in characters. */
  longest?: number;
  multipleOf?: number;
  choices?: readonly string[];
  nullable: boolean;
}

type AnySchema = {
  type: string;
  entries?: { [key: string]: AnySchema };
  item?: AnySchema;
  wrapped?: AnySchema;
  pipe?: AnySchema[];
  options?: unknown[];
  requirement?: unknown;
  literal?: string;
};

/** A bound anywhere in the pipe; pipes nest. */
const bound = (schema: AnySchema, type: string): number | undefined =>
  schema.pipe
    ?.map((each) =>
      each.type === type ? (each.requirement as number) : each === schema.pipe![0] ? bound(each, type) : undefined,
    )
    .find((each) => each !== undefined);

const bounds = ({ min, max, multipleOf, nullable }: Leaf) => JSON.stringify([min, max, multipleOf, nullable]);

/**
 * Merges the same field of several variants: its choices are those of all variants together, and its bounds must agree.
 */
function merged(all: readonly Leaf[]): Leaf[] {
  const byPath = new Map<string, Leaf>();
  for (const leaf of all) {
    const before = byPath.get(leaf.path);
    if (before && bounds(before) !== bounds(leaf)) throw new Error(`${leaf.path} has other bounds in another variant`);
    const choices = [...new Set([...(before?.choices ?? []), ...(leaf.choices ?? [])])];
    byPath.set(leaf.path, choices.length ? { ...leaf, choices } : leaf);
  }
  return [...byPath.values()];
}

/** Every leaf of the schema with its bounds, with paths as in the registry. */
function leaves(schema: AnySchema, path: string, nullable = false): Leaf[] {
  if (schema.type === 'optional') return leaves(schema.wrapped!, path, nullable);
  if (schema.type === 'nullable') return leaves(schema.wrapped!, path, true);
  if (schema.type === 'variant') return merged((schema.options as AnySchema[]).flatMap((each) => leaves(each, path)));
  if (schema.entries)
    return Object.entries(schema.entries).flatMap(([key, each]) => leaves(each, path ? `${path}.${key}` : key));
  const base = schema.pipe?.[0] ?? schema;
  if (base.type === 'array' && base.item!.type === 'picklist')
    return [{ path, nullable, choices: base.item!.options as string[] }];
  if (base.type === 'array') return leaves(base.item!, `${path}.*`);
  if (base.type === 'record') return [];
  if (base.type === 'union') return [{ ...leaves((base.options as AnySchema[])[0], path)[0], nullable }];
  const choices =
    base.type === 'picklist' ? (base.options as string[]) : base.type === 'literal' ? [base.literal!] : undefined;
  return [
    {
      path,
      nullable,
      choices,
      min: bound(schema, 'min_value'),
      max: bound(schema, 'max_value'),
      longest: bound(schema, 'max_length'),
      multipleOf: bound(schema, 'multiple_of'),
    },
  ];
}

describe('settings', () => {
  // An adapter's layers come with an imported adapter and are no setting of the page.
  const without = ['format', 'policy.lora.layers.*'];
  const all = leaves(ExperimentSchema as unknown as AnySchema, '').filter((leaf) => !without.includes(leaf.path));

  test('the walk of the schema finds its fields', () => {
    expect(all.length).toBeGreaterThan(45);
    expect(all.map((leaf) => leaf.path)).toContain('algorithm.endings.invalidAction.penalty');
  });

  test.each(all.map((leaf) => [leaf.path, leaf] as const))(
    '%s has a setting with the bounds of the schema',
    (path, leaf) => {
      const knob = findKnob(path);
      expect(knob, 'no knob').toBeDefined();
      if (knob!.kind === 'text') return;
      const { min, max, longest, multipleOf, choices } = knob!;
      expect({ min, max, longest, multipleOf, choices, nullable: knob!.nullMeans !== undefined }).toEqual({
        min: leaf.min,
        max: leaf.max,
        longest: leaf.longest,
        multipleOf: leaf.multipleOf,
        choices: leaf.choices,
        nullable: leaf.nullable,
      });
    },
  );

  test('every setting is a field, or an option of a world', () => {
    const known = new Set(all.map((leaf) => leaf.path));
    const others = knobs.filter((knob) => !known.has(knob.path)).map((knob) => knob.path);
    expect(others.filter((path) => !path.startsWith('worlds.*.options.'))).toEqual([]);
    expect(others).toContain('worlds.*.options.depths');
  });

  // The place of a task among the parts of another one, which the world sets itself.
  const setByWorlds = ['part'];

  test.each(worldModules.map((module) => [module.title, module] as const))(
    'every option of %s has a setting, with the texts and bounds of its schema',
    (_, { name, options }) => {
      const mine = knobs.filter(({ worlds }) => worlds?.includes(name));
      const schema = leaves(options.schema as unknown as AnySchema, '').filter(
        ({ path }) => !setByWorlds.includes(path),
      );
      expect(mine.map(({ path }) => path.replace('worlds.*.options.', ''))).toEqual(
        schema.map(({ path }) => path.replace(/\.\*$/, '')),
      );
      mine.forEach((knob, i) => {
        expect({ min: knob.min, max: knob.max }, knob.path).toEqual({ min: schema[i].min, max: schema[i].max });
        if (schema[i].choices) expect(knob.choices).toEqual(schema[i].choices);
        const document = { worlds: [{ name, weight: 1, evaluated: true, options: {} }] };
        expect(findKnob(knob.path.replace('*', '0'), document)).toBe(knob);
      });
      expect(new Set(knobs.map(({ id, path }) => id ?? path)).size).toBe(knobs.length);
    },
  );

  test('every explanation is one sentence with a capital and a full stop', () => {
    for (const knob of knobs) expect(knob.sentence).toMatch(/^[A-Z].*\.$/);
  });

  test('concrete paths find their pattern', () => {
    expect(findKnob('horizon.3.turns')?.label).toBe('Maximum turns');
    expect(findKnob('horizon.3.nothing')).toBeUndefined();
  });
});
