/** A tool: a named function with a JSON schema of its arguments. */
import type { Json } from '../../envs/env.ts';
import type { FunctionTool } from '../../envs/tools.ts';

type ParameterType = 'string' | 'integer' | 'number' | 'boolean' | 'array';

/** Schema of a list's members. */
interface Items {
  type: ParameterType | readonly ParameterType[];
  items?: Items;
}

export interface Parameter {
  /** Several types: any of them. */
  type: ParameterType | readonly ParameterType[];
  description?: string;
  enum?: readonly Json[];
  /** Members, where the type may be a list. */
  items?: Items;
}

export interface Tool {
  name: string;
  /** One sentence. */
  description: string;
  /** Parameters in their order, all of them required unless `optional` names them. */
  parameters: { readonly [name: string]: Parameter };
  optional?: readonly string[];
}

export type Arguments = { readonly [name: string]: Json };

export interface Call {
  name: string;
  arguments: Arguments;
}

/** The tool that ends an episode; every family has it. */
export const finishTool = 'finish';

export const text = (description?: string): Parameter => ({ type: 'string', ...(description && { description }) });

/** A text or a number. */
export const scalar: Items = { type: ['string', 'number'] };

/** The tool that lists the names of all tools. */
export const listingTool: Tool = {
  name: 'check_valid_actions',
  description: 'Lists the names of the actions.',
  parameters: {},
};

/** The tool that ends a question. */
export const answerTool: Tool = {
  name: finishTool,
  description: 'Ends the task with the answer.',
  parameters: { answer: { type: ['string', 'number', 'array'], items: scalar } },
};

/** The tool as OpenAI's `tools` list it. */
export const functionOf = ({ name, description, parameters, optional = [] }: Tool): FunctionTool => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: parameters,
      required: Object.keys(parameters).filter((each) => !optional.includes(each)),
      additionalProperties: false,
    },
  },
});

/** Signature of a tool in a prompt: `get_tasks(project_id)`. */
export const signatureOf = ({ name, parameters }: Tool) => `${name}(${Object.keys(parameters).join(', ')})`;

/** Same text for the same call, whatever the order of its arguments. */
export const keyOfCall = ({ name, arguments: given }: Call): string =>
  JSON.stringify([
    name,
    ...Object.keys(given)
      .sort()
      .flatMap((key) => [key, given[key]]),
  ]);
