/**
 * Python source of an environment's class with a method for each tool of a world: types and docstrings from which
 * transformers' get_json_schema (5.23) makes the tool's schema again.
 */
import type { FunctionTool } from '../../envs/tools.ts';
import { HandoffError } from './target.ts';

interface Property {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  items?: { type?: string };
}

/** Schema of a tool's arguments as our tools write it. */
interface Schema {
  properties?: { readonly [name: string]: Property };
  required?: readonly string[];
}

const types: { readonly [type: string]: string } = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  array: 'list',
  object: 'dict',
};

/** Words that cannot be names in Python 3.11 (keyword.kwlist), and names that the environment has itself. */
const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global ' +
    'if import in is lambda nonlocal not or pass raise return try while with yield self'
  ).split(' '),
);
const own = new Set(['reset', 'get_reward']);

function checked(name: string, world: string): string {
  if (/^[a-z][a-z0-9_]*$/i.test(name) && !keywords.has(name) && !own.has(name)) return name;
  throw new HandoffError(`${world}: "${name}" cannot be a method or an argument in Python. Choose TRL without tools.`);
}

function typeOf({ type, items }: Property): string {
  const all = [type ?? 'string'].flat().map((each) => {
    const inner = items?.type && types[items.type];
    return each === 'array' && inner ? `list[${inner}]` : (types[each] ?? 'str');
  });
  return [...new Set(all)].join(' | ');
}

/** A text inside a docstring, on one line. */
const inDocstring = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"""', "'''");

const describe = ({ description, enum: choices }: Property, name: string): string => {
  const text = inDocstring(description || `The ${name.replaceAll('_', ' ')}.`);
  return choices ? `${text} (choices: ${JSON.stringify(choices)})` : text;
};

function method({ function: { name, description, parameters } }: FunctionTool, world: string): string {
  const { properties = {}, required = [] } = parameters as Schema;
  // Python wants parameters with a default after those without.
  const entries = Object.entries(properties).sort(
    ([a], [b]) => Number(!required.includes(a)) - Number(!required.includes(b)),
  );
  const signature = entries.map(([key, property]) => {
    const optional = !required.includes(key);
    return `${checked(key, world)}: ${typeOf(property)}${optional ? ' | None = None' : ''}`;
  });
  const listed = entries.map(([key, property]) => `            ${key}: ${describe(property, key)}`);
  return `    def ${checked(name, world)}(${['self', ...signature].join(', ')}) -> str:
        """
        ${inDocstring(description)}
${listed.length ? `\n        Args:\n${listed.join('\n')}\n` : ''}
        Returns:
            The world's answer.
        """
        return self._call("${name}", locals())
`;
}

/** Class of an environment. `fields`: class attributes as Python source. */
export function toolClass(
  className: string,
  { title, tools }: { title: string; tools: readonly FunctionTool[] },
  fields: { readonly [name: string]: string },
): string {
  const attributes = Object.entries(fields).map(([name, source]) => `    ${name} = ${source}`);
  return `class ${className}(ToolWorld):
    """${inDocstring(title)}."""

${attributes.join('\n')}

${tools.map((tool) => method(tool, title)).join('\n')}`;
}
