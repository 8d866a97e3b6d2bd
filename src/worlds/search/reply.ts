/** Extracts the action from a language model's reply. Like the original's server, the rules parse the whole reply. */
import type { ReplyRule } from '../../envs/reply.ts';

/**
 * Returns the whole reply if it contains a tag; otherwise the text after the first "Action:", the format of the other
 * worlds.
 */
export const searchReply: ReplyRule = (text) => {
  const reply = text.replace(/<\/s>$/, '');
  return { action: /<(?:search|answer)>/.test(reply) ? reply : reply.replace(/^.*?Action:\s*/s, '') };
};
