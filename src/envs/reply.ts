/**
 * Finding the action in what a language model said. Each world's original client has its own rule (AgentGym,
 * github.com/WooooDyy/AgentGym, MIT: agentenv/envs and agentenv/controller/utils.py); here they are functions of
 * text, and a world's module names its own. Knows nothing of tokens or of the world behind.
 */

/** Finds the action in a reply. */
export type ReplyRule = (text: string) => Reply;

export interface Reply {
  /** Empty where none was found: the world says what it thinks of that. */
  action: string;
  /** Set where the client itself refuses: what the model is told instead of the world's answer. */
  refusal?: string;
  /** The last observation follows the refusal. */
  again?: true;
}

const severalActions = "Error: Only one 'Action' is allowed per response. Please adjust your response.";

/**
 * TextCraft's and BabyAI's: one "Action:" and what follows on its line, letters, digits and commas alone; a second one is refused
 * without the world being asked.
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

/** str.strip() of Python: not the spaces that JavaScript trims. */
const space = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const leading = new RegExp(`^${space}+`);
const anySpace = new RegExp(space);

export function strip(text: string): string {
  let end = text.length;
  // A regular expression anchored at the end is quadratic on long runs of spaces.
  while (end > 0 && anySpace.test(text[end - 1])) end--;
  return text.slice(0, end).replace(leading, '');
}

/** Of a `</s>` at the end the original's clients take off five characters, one more than it has. */
export const withoutEnd = (text: string) => (text.endsWith('</s>') ? text.slice(0, -5) : text);

/**
 * Everything behind the last "Action:"; where there is none, the whole text if it holds WebShop's `search[` or `click[`, which all of
 * the original's clients that read so share.
 */
export function parseReact(text: string): string {
  const parts = text.split('Action:');
  if (parts.length > 1) return strip(parts.at(-1)!);
  return /(?:search|click)\[/.test(text) ? strip(text) : '';
}

/** ScienceWorld's, ALFWorld's and WebShop's. */
export const lastAction = (text: string): Reply => ({ action: parseReact(withoutEnd(text)) });

/** Maze's and Wordle's: everything between the first "Action:" and the next; the whole text where there is none. */
export function firstAction(text: string): Reply {
  const [whole, action] = withoutEnd(text).split('Action:');
  return { action: strip(action ?? whole) };
}

/** The original's server reads the whole reply. */
export const wholeReply = (text: string): Reply => ({ action: text });
