/** Finding the action in what a language model said: the original's server reads the whole reply, and so do these rules. */
import type { ReplyRule } from '../../envs/reply.ts';

/** The whole reply where it holds a tag; else what follows a first "Action:", as language models are shown actions elsewhere. */
export const searchReply: ReplyRule = (text) => {
  const said = text.replace(/<\/s>$/, '');
  return { action: /<(?:search|answer)>/.test(said) ? said : said.replace(/^.*?Action:\s*/s, '') };
};
