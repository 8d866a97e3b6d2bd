/**
 * Names and numbers in a text of any corpus that may be searched for or be an answer: runs of capitalised words, quoted
 * texts and numbers. A heuristic, used only for valid actions and completion; for made universes they are known exactly
 * (universe/prose.ts).
 */
import type { Mention } from './universe/prose.ts';
import { onceEach } from './universe/prose.ts';

/** Capitalised words that begin a sentence or question more often than a name. */
const common = new Set(
  'A An And As At But By For From He Her His How I If In It Its Of On Or She The Their They This That These Those To Was We What When Where Which Who Whom Whose Why With Name Is Are Did Does Do'.split(
    ' ',
  ),
);

const word = "\\p{Lu}[\\p{L}\\p{M}\\p{N}'’.-]*";
/** Lower-case words within names: "House of Orange", "Ludwig van Beethoven". */
const joining = '(?:of|the|de|van|von|der|la|le|du|di|da|and|&)';
const pattern = new RegExp(
  `["“]([^"“”]{2,80})["”]|(${word}(?:[ \\u00a0]+(?:${joining}[ \\u00a0]+){0,2}${word})*)|(\\p{Nd}[\\p{Nd}.,:/-]*)`,
  'gu',
);

/** Maximum number of mentions per text. A page full of names would otherwise yield thousands of actions. */
const mostMentions = 40;

function withoutCommon(name: string): string {
  const words = name.split(/[ \u00a0]+/);
  while (words.length && common.has(words[0])) words.shift();
  return words.join(' ').replace(/[.,'’-]+$|['’]s$/gu, '');
}

export function mentionsIn(text: string): Mention[] {
  const found: Mention[] = [];
  for (const [, quoted, name, number] of text.matchAll(pattern)) {
    if (number) found.push({ text: number.replace(/[.,:/-]+$/, ''), named: false });
    else {
      const plain = quoted ?? withoutCommon(name);
      if (plain) found.push({ text: plain, named: true });
    }
    if (found.length >= 2 * mostMentions) break;
  }
  return onceEach(found).slice(0, mostMentions);
}
