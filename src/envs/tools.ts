/** Tools that a world offers: named functions with a JSON schema of their arguments, in OpenAI's form. */
/** A tool as OpenAI's `tools` list it. */
export interface FunctionTool {
  type: 'function';
  function: {
    name: string;
    /** One sentence. */
    description: string;
    /** JSON schema of an object. */
    parameters: object;
  };
}

export interface ToolCall {
  name: string;
  arguments: { [name: string]: unknown };
}

/** The action that calls a tool: every world with tools reads this form. */
export const actionOfCall = ({ name, arguments: given }: ToolCall): string =>
  JSON.stringify({ name, arguments: given });
