/**
 * The default rules: the same game in short texts that a tiny policy can read and write, without two defects of the
 * originals. An answer ends the episode even if it is wrong, so guessing does not pay; and any one of several accepted
 * answers is right. Tags are accepted as well, since language models write them; the first complete pair counts, also
 * for the score.
 */
import { strip } from '../../../python/text.ts';
import { collapse } from './python-text.ts';
import { type Rules, readTags } from './rules.ts';
import { exactMatch } from './score.ts';
import { replacePairs } from './tags.ts';

const plain = /^(search|answer)\b:?(.*)$/is;

export const ownRules: Rules = {
  ask: (question) => `Question: ${strip(question)}`,
  read(reply) {
    // Tags inside <think> are not actions.
    const tagged = readTags(replacePairs(reply, 'think', ' '));
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
