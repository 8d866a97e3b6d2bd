/**
 * The default rules: the same game in few words, so that a tiny policy can read and say it, and without the defects of the originals: an answer ends
 * the episode, right or wrong (guessing on is no skill), and any of several golds counts. Tags are understood too, as language models
 * write them; there the first whole pair counts, for the score as well.
 */
import { collapse, strip } from './python-text.ts';
import { type Rules, readTags } from './rules.ts';
import { exactMatch } from './score.ts';

const plain = /^(search|answer)\b:?(.*)$/is;

export const ownRules: Rules = {
  ask: (question) => `Question: ${strip(question)}`,
  read(reply) {
    // What is only thought of is not done.
    const tagged = readTags(reply.replace(/<think>.*?<\/think>/gs, ' '));
    if (tagged.kind !== 'invalid') return tagged;
    const found = plain.exec(strip(reply));
    const text = found ? collapse(found[2]) : '';
    if (!found || !text) return { kind: 'invalid' };
    return found[1].toLowerCase() === 'search' ? { kind: 'search', query: text } : { kind: 'answer', text };
  },
  isRight: (_reply, { text }, golds) => exactMatch(text, golds),
  show: (documents) =>
    documents.length
      ? documents.map(({ title, text }, k) => `${k + 1}. ${title}: ${text}`).join('\n')
      : 'Nothing was found.',
  right: 'Right.',
  wrong: 'Wrong.',
  invalid: 'Say: search and some words, or: answer and the answer.',
  write: (act) => (act.kind === 'search' ? `search ${act.query}` : `answer ${act.text}`),
};
