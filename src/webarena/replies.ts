/**
 * Extracts the action from a language model's reply as WebArena's agents do: takes the first block between triple
 * backticks, and replaces the public addresses of the sites by the addresses they are served at. Independent of any
 * page.
 */

import { strip } from '../python/text.ts';
import { type Action, ActionError, parseAction } from './actions.ts';

const block = /```(.*?)```/su;

/** Error messages for a reply without a block. The original's two prompts differ only in this message. */
const missingBlockErrors = {
  cot: (reply: string) => `Cannot find the answer phrase "In summary, the next action I will perform is" in "${reply}"`,
  direct: (reply: string) => `Cannot parse action from response ${reply}`,
};
export type PromptKind = keyof typeof missingBlockErrors;

/** Pairs of a site's public address and the address it is served at, in the order in which they are applied. */
export type Addresses = readonly (readonly [public_: string, served: string])[];

/**
 * Replaces public addresses in the whole text, including typed text and answers. Matches by prefix, as the original
 * does: `http://a.com.evil` is replaced as well when `http://a.com` is listed.
 */
function toServed(text: string, addresses: Addresses): string {
  return addresses.reduce(
    (mapped, [address, served]) =>
      mapped.replaceAll(address, served).replaceAll(address.replace('http', 'https'), served),
    text,
  );
}

export function extractAction(reply: string, kind: PromptKind, addresses: Addresses = []): string {
  const found = block.exec(reply);
  if (!found) throw new ActionError('ActionParsingError', missingBlockErrors[kind](reply));
  return toServed(strip(found[1]), addresses);
}

/** Parses the action of a reply. A reply without a valid action yields `none`, as with the original's agent. */
export function actionOfReply(reply: string, addresses: Addresses = []): Action {
  try {
    return parseAction(extractAction(reply, 'cot', addresses));
  } catch (error) {
    if (error instanceof ActionError && error.type === 'ActionParsingError') return { kind: 'none' };
    throw error;
  }
}
