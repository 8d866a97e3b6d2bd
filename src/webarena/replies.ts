/**
 * The action in a language model's reply as WebArena's agents find it: the first block between three backticks, with the sites'
 * public addresses turned into those they are served at. Knows no page.
 */
import { type Action, ActionError, parseAction } from './actions.ts';
import { strip } from './python.ts';

const block = /```((?:.|\n)*?)```/su;

/** The two prompts of the original differ in their complaint alone. */
const complaints = {
  cot: (reply: string) => `Cannot find the answer phrase "In summary, the next action I will perform is" in "${reply}"`,
  direct: (reply: string) => `Cannot parse action from response ${reply}`,
};
export type PromptKind = keyof typeof complaints;

/** Public address to the one a site is served at, in the order they are applied. */
export type Addresses = readonly (readonly [public_: string, served: string])[];

/** In the whole text, typed words and answers too; by prefix, so that `http://a.com` also turns `http://a.com.evil`. */
export function toServed(text: string, addresses: Addresses): string {
  return addresses.reduce(
    (mapped, [address, served]) =>
      mapped.replaceAll(address, served).replaceAll(address.replace('http', 'https'), served),
    text,
  );
}

export function extractAction(reply: string, kind: PromptKind, addresses: Addresses = []): string {
  const found = block.exec(reply);
  if (!found) throw new ActionError('ActionParsingError', complaints[kind](reply));
  return toServed(strip(found[1]), addresses);
}

/** The action of a reply; a reply without one is the action that does nothing, as with the original's agent. */
export function actionOfReply(reply: string, addresses: Addresses = []): Action {
  try {
    return parseAction(extractAction(reply, 'cot', addresses));
  } catch (error) {
    if (error instanceof ActionError && error.type === 'ActionParsingError') return { kind: 'none' };
    throw error;
  }
}
