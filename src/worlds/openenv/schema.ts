/**
 * An OpenEnv server's actions as text. Its action schema (JSON Schema) says which fields an action has: with one field that must be
 * filled in, what is said is that field; with more, or none, an action is written as a JSON object.
 */
import type { Json } from '../../envs/env.ts';

export interface ActionField {
  name: string;
  type: string;
  required: boolean;
  choices: readonly Json[];
  says: string;
  fallback: Json | undefined;
}

export interface ActionForm {
  fields: readonly ActionField[];
  /** The one field that a text fills; null: actions are JSON objects. */
  single: ActionField | null;
}

/** What every action of the reference's schema may carry, and no agent fills in. */
const carried = new Set(['metadata', 'timeout_s', 'request_id']);

type Schema = { [key: string]: unknown };
const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema, or the one it refers to within the document. */
function resolved(schema: unknown, root: Schema): Schema {
  const { $ref } = isObject(schema) ? schema : {};
  if (typeof $ref !== 'string') return isObject(schema) ? schema : {};
  const found = $ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), root);
  return isObject(found) ? found : {};
}

/** `anyOf` with null is how an optional field is written. */
function typeOf(schema: Schema, root: Schema): string {
  if (Array.isArray(schema.enum)) return 'choice';
  if (typeof schema.type === 'string') return schema.type;
  const variants = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined;
  const types = (variants ?? []).map((each) => typeOf(resolved(each, root), root)).filter((type) => type !== 'null');
  return types.length === 1 ? types[0] : 'any';
}

/** Of a schema that is none, a form without fields: actions are JSON objects then. */
export function actionForm(schema: unknown): ActionForm {
  const root = isObject(schema) ? schema : {};
  const required = Array.isArray(root.required) ? root.required : [];
  const fields = Object.entries(isObject(root.properties) ? root.properties : {})
    .filter(([name]) => !carried.has(name))
    .map(([name, given]): ActionField => {
      const field = resolved(given, root);
      return {
        name,
        type: typeOf(field, root),
        required: required.includes(name),
        choices: Array.isArray(field.enum) ? (field.enum as Json[]) : [],
        says: typeof field.description === 'string' ? field.description : '',
        fallback: field.default as Json | undefined,
      };
    });
  const asked = fields.filter((field) => field.required);
  const only = asked.length === 1 ? asked[0] : asked.length === 0 && fields.length === 1 ? fields[0] : null;
  return { fields, single: only && !['object', 'array', 'any'].includes(only.type) ? only : null };
}

/** An action that cannot be sent: why, for whoever said it. */
export class ActionTextError extends Error {
  override name = 'ActionTextError';
}

const converters: { readonly [type: string]: (text: string, field: ActionField) => Json | undefined } = {
  string: (text) => text,
  integer: (text) => (/^[+-]?\d+$/.test(text.trim()) ? Number(text) : undefined),
  number: (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
  boolean: (text) => ({ true: true, false: false })[text.trim().toLowerCase()],
  choice: (text, { choices }) => choices.find((each) => String(each) === text.trim()),
};

/** A field's value from what was typed for it. */
export function valueFrom(text: string, field: ActionField): Json {
  const value = converters[field.type]?.(text, field);
  if (value !== undefined) return value;
  const wanted = field.type === 'choice' ? `one of: ${field.choices.join(', ')}` : `a value of type ${field.type}`;
  throw new ActionTextError(`"${field.name}" must be ${wanted}.`);
}

/** The action that a text means. */
export function actionFrom(text: string, { single }: ActionForm): { [field: string]: Json } {
  if (single) return { [single.name]: valueFrom(text, single) };
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  try {
    const value: unknown = JSON.parse(start < 0 ? '' : text.slice(start, end + 1));
    if (isObject(value)) return value as { [field: string]: Json };
  } catch {
    // Said below.
  }
  throw new ActionTextError('An action must be one JSON object.');
}

/** What is told to whoever acts, where an action has several fields. */
export function formWords({ fields, single }: ActionForm): string {
  if (single) return '';
  if (!fields.length) return 'Your action is a JSON object.';
  const lines = fields.map(({ name, type, required, choices, says }) => {
    const kind = type === 'choice' ? `one of ${choices.map((each) => JSON.stringify(each)).join(', ')}` : type;
    return `- "${name}" (${kind}${required ? '' : ', may be left out'})${says ? `: ${says}` : ''}`;
  });
  return `Your action is a JSON object with these fields:\n${lines.join('\n')}`;
}
