/**
 * Writes an OpenEnv server's actions as text. The server's JSON Schema lists the fields of an action. If exactly one
 * field is required, the text is the value of that field; otherwise an action is written as a JSON object. In an MCP
 * environment it is a call of one of its tools.
 */
import type { Json } from '../../envs/env.ts';

export interface ActionField {
  name: string;
  type: string;
  required: boolean;
  choices: readonly Json[];
  description: string;
  fallback: Json | undefined;
}

export interface ActionForm {
  fields: readonly ActionField[];
  /** The single field that a text fills, or null if actions are JSON objects. */
  single: ActionField | null;
  /** Tools of an MCP environment, of which each action calls one. */
  tools?: readonly ServerTool[];
}

export interface ServerTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Json;
}

/** Fields of every action in the reference's schema that agents do not fill in. */
const ignoredFields = new Set(['metadata', 'timeout_s', 'request_id']);

type Schema = { [key: string]: unknown };
type JsonFields = { [field: string]: Json };
const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Resolves a `$ref` within the document. */
function resolved(schema: unknown, root: Schema): Schema {
  if (!isObject(schema)) return {};
  const { $ref, allOf } = schema;
  // Pydantic's older form of a reference with a description.
  if (Array.isArray(allOf) && allOf.length === 1) return { ...schema, ...resolved(allOf[0], root) };
  if (typeof $ref !== 'string') return schema;
  const found = $ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), root);
  return isObject(found) ? found : {};
}

/** Type of a field. Optional fields are written as `anyOf` with null. */
function typeOf(schema: Schema, root: Schema): string {
  if (Array.isArray(schema.enum)) return 'choice';
  if (typeof schema.type === 'string') return schema.type;
  const variants = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined;
  const types = (variants ?? []).map((each) => typeOf(resolved(each, root), root)).filter((type) => type !== 'null');
  return types.length === 1 ? types[0] : 'any';
}

/** Form of an action. An invalid schema yields a form without fields, so that actions are JSON objects. */
export function actionForm(schema: unknown): ActionForm {
  const root = isObject(schema) ? schema : {};
  const required = Array.isArray(root.required) ? root.required : [];
  const fields = Object.entries(isObject(root.properties) ? root.properties : {})
    .filter(([name]) => !ignoredFields.has(name))
    .map(([name, given]): ActionField => {
      const field = resolved(given, root);
      return {
        name,
        type: typeOf(field, root),
        required: required.includes(name),
        choices: Array.isArray(field.enum) ? (field.enum as Json[]) : [],
        description: typeof field.description === 'string' ? field.description : '',
        fallback: field.default as Json | undefined,
      };
    });
  const needed = fields.filter((field) => field.required);
  const only = needed.length === 1 ? needed[0] : needed.length === 0 && fields.length === 1 ? fields[0] : null;
  const isCall = callFields.every((name) => fields.some((field) => field.name === name));
  return { fields, single: only && !isCall && !['object', 'array', 'any'].includes(only.type) ? only : null };
}

/** Fields of an action that calls a tool (`CallToolAction`), of which only the first is required. */
const callFields = ['tool_name', 'arguments'];

/** True if the schema may be that of an MCP environment, which is a call of a tool or says nothing about its fields. */
export const mayCallTools = ({ fields }: ActionForm): boolean =>
  fields.length === 0 || callFields.every((name) => fields.some((field) => field.name === name));

/** A text that is not a valid action; the message is shown to the agent. */
export class ActionTextError extends Error {
  override name = 'ActionTextError';
}

const converters: { readonly [type: string]: (text: string, field: ActionField) => Json | undefined } = {
  string: (text) => text,
  integer: (text) => (/^[+-]?\d+$/.test(text.trim()) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
  number: (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
  boolean: (text) => ({ true: true, false: false })[text.trim().toLowerCase()],
  choice: (text, { choices }) => choices.find((each) => String(each) === text.trim()),
};

/** Converts a text to the value of a field. */
export function valueFrom(text: string, field: ActionField): Json {
  const value = converters[field.type]?.(text, field);
  if (value !== undefined) return value;
  const wanted = field.type === 'choice' ? `one of: ${field.choices.join(', ')}` : `a value of type ${field.type}`;
  throw new ActionTextError(`"${field.name}" must be ${wanted}.`);
}

/** Action of an MCP environment from a call, whose tool a model may name as in other forms of calls. */
const callAction = ({ tool_name, name, arguments: given, ...rest }: JsonFields): JsonFields => ({
  type: 'call_tool',
  ...rest,
  tool_name: tool_name ?? name,
  arguments: given ?? {},
});

/** Converts a text to an action. */
export function actionFrom(text: string, { single, tools }: ActionForm): JsonFields {
  if (single) return { [single.name]: valueFrom(text, single) };
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  try {
    const value: unknown = JSON.parse(start < 0 ? '' : text.slice(start, end + 1));
    if (isObject(value) && tools && ('tool_name' in value || 'name' in value)) return callAction(value as JsonFields);
    if (isObject(value)) return value as JsonFields;
  } catch {
    // Reported by the error below.
  }
  throw new ActionTextError('An action must be one JSON object.');
}

const callExample = '{"tool_name": "...", "arguments": {...}}';
const toolLine = ({ name, description, parameters }: ServerTool) =>
  `- ${name}: ${description.trim()}\n  arguments: ${JSON.stringify(parameters)}`;

/** Description of the action's fields for the agent; empty if a plain text is enough. */
export function formText({ fields, single, tools }: ActionForm): string {
  if (single) return '';
  if (tools)
    return `Your action is one call of a tool, as JSON: ${callExample}\nTools:\n${tools.map(toolLine).join('\n')}`;
  if (!fields.length) return 'Your action is a JSON object.';
  const lines = fields.map(({ name, type, required, choices, description }) => {
    const kind = type === 'choice' ? `one of ${choices.map((each) => JSON.stringify(each)).join(', ')}` : type;
    return `- "${name}" (${kind}${required ? '' : ', may be left out'})${description ? `: ${description}` : ''}`;
  });
  return `Your action is a JSON object with these fields:\n${lines.join('\n')}`;
}
