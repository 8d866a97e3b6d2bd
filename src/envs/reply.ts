/**
 * Finds the action in a language model's reply. Each world's original client has its own rule (AgentGym,
 * github.com/WooooDyy/AgentGym, MIT: agentenv/envs and agentenv/controller/utils.py); here rules are functions of text,
 * and a world's module names its own.
 */

/** Finds the action in a reply. */
export type ReplyRule = (text: string) => Reply;

export interface Reply {
  /** Empty if none was found; the world then answers. */
  action: string;
  /** Set if the client itself refuses: the text that the model gets instead of the world's answer. */
  refusal?: string;
  /** If set, the last observation is repeated after the refusal. */
  again?: true;
}

const severalActions = "Error: Only one 'Action' is allowed per response. Please adjust your response.";

/**
 * Rule of TextCraft and BabyAI: one "Action:" and the rest of its line, letters, digits and commas only. A second one
 * is refused without a step of the world.
 */
export function oneAction(text: string): Reply {
  const found = [...text.matchAll(/Action:\s*(.*?)(?=\n|$)/gs)];
  if (found.length > 1) return { action: '', refusal: severalActions };
  const words = found.length ? found[0][1] : '';
  return {
    action: words
      .replace(/[^A-Za-z0-9, ]+/g, '')
      .replace(/ +/g, ' ')
      .trim(),
  };
}

/** White space of Python's str.strip(), which differs from JavaScript's trim(). */
const space = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const leading = new RegExp(`^${space}+`);
const anySpace = new RegExp(space);

export function strip(text: string): string {
  let end = text.length;
  // A regular expression anchored at the end is quadratic on long runs of spaces.
  while (end > 0 && anySpace.test(text[end - 1])) end--;
  return text.slice(0, end).replace(leading, '');
}

/** The original's clients cut five characters off for a final `</s>`, although it has only four. */
export const withoutEnd = (text: string) => (text.endsWith('</s>') ? text.slice(0, -5) : text);

/**
 * The text after the last "Action:". Without one, the whole text if it contains WebShop's `search[` or `click[`, a rule
 * that all original clients of this kind share.
 */
export function parseReact(text: string): string {
  const parts = text.split('Action:');
  if (parts.length > 1) return strip(parts.at(-1)!);
  return /(?:search|click)\[/.test(text) ? strip(text) : '';
}

/** Rule of ScienceWorld, ALFWorld and WebShop. */
export const lastAction = (text: string): Reply => ({ action: parseReact(withoutEnd(text)) });

/** Rule of Maze and Wordle: the text between the first "Action:" and the next, or the whole text if there is none. */
export function firstAction(text: string): Reply {
  const [whole, action] = withoutEnd(text).split('Action:');
  return { action: strip(action ?? whole) };
}

/** The original's server reads the whole reply. */
export const wholeReply = (text: string): Reply => ({ action: text });

/** Rule of SQLGym: the content of the last SQL block, or the reply up to its first code fence if there is none. */
export function sqlBlock(text: string): Reply {
  const after = text.split('```sql').at(-1)!;
  return { action: strip(after.split('```')[0]) };
}
