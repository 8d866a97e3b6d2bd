/** Tools that a world offers: named functions with a JSON schema of their arguments, in OpenAI's form. */
import { option, toggle } from '../fields/fields.ts';

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

/**
 * Episodes of a language model that is shown the tools by its own chat template and replies with calls in that
 * template's form.
 */
export interface CallRules {
  tools: readonly FunctionTool[];
  /** The call that an action stands for; null: it is none. */
  callOf(action: string): ToolCall | null;
}

/** An instruction before the first observation: beside a list of tools both are one message. Empty without words. */
export function beforeObservation(instruction: string): string {
  const words = instruction.trimEnd();
  return words && `${words}\n\n`;
}

const [callStart, callEnd] = ['<tool_call>', '</tool_call>'];

/** True if worlds with tools read this text as a call: JSON with `name`, alone or between Hermes' marks. */
export function isCallText(text: string): boolean {
  const [begin, end] = [text.indexOf(callStart), text.lastIndexOf(callEnd)];
  const isTagged = begin >= 0 && end >= begin + callStart.length;
  const tagged = isTagged ? text.slice(begin + callStart.length, end) : text;
  try {
    return typeof JSON.parse(tagged).name === 'string';
  } catch {
    return false;
  }
}

/** Option `calls` of a world with tools. */
export const callsField = option(toggle(), false, {
  label: 'Calls by the chat template',
  sentence:
    "A language model sees the tools in its own chat template and writes calls in that template's form, instead of reading AgentGym's instruction. Tiny policies are not affected.",
  change: 'restart',
});
