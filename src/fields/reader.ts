/**
 * Reads the fields of a schema: path, kind, bounds and choices from the schema itself, label and sentence from its
 * metadata.
 */
import type * as v from 'valibot';
import type { FieldChange, FieldFacts, FieldKind } from './fields.ts';

export type { FieldKind };

/** A field as the page, the docs and `--help` need it. */
export interface Field extends FieldFacts {
  path: string;
  unit: string;
  kind: FieldKind;
  level: 'basic' | 'advanced';
  change: FieldChange;
  min?: number;
  max?: number;
  /** Longest text, in characters. */
  longest?: number;
  /** Values must be multiples of this. */
  multipleOf?: number;
  /** Default of a field that may be left out. */
  fallback?: unknown;
}

/** The parts of a schema that are read here. */
interface AnySchema {
  type: string;
  pipe?: readonly Action[];
  wrapped?: AnySchema;
  default?: unknown;
  item?: AnySchema;
  options?: readonly unknown[];
  entries?: { readonly [name: string]: AnySchema };
}

/** A part of a pipe: a schema, metadata, or a bound. */
interface Action extends AnySchema {
  kind: string;
  requirement?: unknown;
  metadata?: FieldFacts;
}

type Reading = Partial<Field>;

const bounds: { readonly [type: string]: (requirement: never) => Reading } = {
  integer: () => ({ kind: 'integer' }),
  min_value: (min: number) => ({ min }),
  max_value: (max: number) => ({ max }),
  multiple_of: (multipleOf: number) => ({ multipleOf }),
};

/** Facts of a schema, from the inside out: those of a wrapper replace those of the wrapped schema. */
function read(schema: AnySchema): Reading {
  const found: Reading = { ...unpiped(schema) };
  for (const part of schema.pipe ?? []) {
    if (part.kind === 'schema') Object.assign(found, read(part));
    else if (part.type === 'max_length' && found.kind === 'text') found.longest = part.requirement as number;
    else Object.assign(found, part.metadata, bounds[part.type]?.(part.requirement as never));
  }
  return found;
}

/** Facts of a schema without its pipe. */
function unpiped({ type, wrapped, default: fallback, item, options = [] }: AnySchema): Reading {
  if (wrapped) return { ...read(wrapped), ...(type === 'optional' && { fallback }) };
  if (type === 'array') return listed(read(item!));
  // A person types a value of the first alternative, so its bounds are shown.
  if (type === 'union') return read(options[0] as AnySchema);
  if (type === 'picklist') return { kind: 'choice', choices: options as readonly string[] };
  return kinds[type] ? { kind: kinds[type] } : {};
}

const kinds: { readonly [type: string]: FieldKind } = { number: 'real', boolean: 'boolean', string: 'text' };

/** Facts of a list, from those of its members. */
function listed({ kind, min, max, choices }: Reading): Reading {
  if (kind === 'integer') return { kind: 'integers', min, max };
  return kind ? { kind: 'choices', ...(choices && { choices }) } : {};
}

const inner = (schema: AnySchema): AnySchema => (schema.wrapped ? inner(schema.wrapped) : schema);

const wholeKinds: readonly (FieldKind | undefined)[] = ['integer', 'integers', 'numbers', 'turns'];

/** The field of a schema, or null if it has no label. */
function fieldOf(schema: AnySchema, path: string): Field | null {
  const { label, sentence = '', kind, ...rest } = read(schema);
  if (!label || !kind) return null;
  const common = {
    unit: '',
    level: 'advanced',
    change: 'fork',
    ...(wholeKinds.includes(kind) && { step: 1 }),
  } as const;
  return { path, label, sentence, kind, ...common, ...rest };
}

/**
 * Fields of a schema in its order; `*` in a path stands for the members of a list. A part without a label has no field
 * of its own, but the parts inside it are read.
 */
export function fieldsOf(schema: v.GenericSchema, path = ''): Field[] {
  return walk(schema as unknown as AnySchema, path);
}

function walk(schema: AnySchema, path: string): Field[] {
  const own = fieldOf(schema, path);
  if (own) return [own];
  const { entries, item } = inner(schema);
  if (item) return walk(item, `${path}.*`);
  return Object.entries(entries ?? {}).flatMap(([name, each]) => walk(each, path ? `${path}.${name}` : name));
}

/**
 * Fields of several variants of one part. A field that several variants share appears once, with the names of these
 * variants.
 */
export function fieldsOfVariants(
  variants: readonly { name: string; schema: v.GenericSchema }[],
  path: string,
): { field: Field; names: string[] }[] {
  const found = new Map<string, { field: Field; names: string[] }>();
  for (const { name, schema } of variants)
    for (const field of fieldsOf(schema, path)) {
      const known = found.get(field.path);
      if (known) known.names.push(name);
      else found.set(field.path, { field, names: [name] });
    }
  return [...found.values()];
}
