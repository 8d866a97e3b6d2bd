/**
 * What a text of any corpus offers to search for or to answer with: runs of capitalised words, what stands in quotes, numbers. A rule
 * of thumb, for valid actions and completion alone; made universes know exactly (universe/prose.ts).
 */
import type { Mention } from './universe/prose.ts';
import { onceEach } from './universe/prose.ts';

/** Words that begin sentences and questions more often than names. */
const common = new Set(
  'A An And As At But By For From He Her His How I If In It Its Of On Or She The Their They This That These Those To Was We What When Where Which Who Whom Whose Why With Name Is Are Did Does Do'.split(
    ' ',
  ),
);

const word = "\\p{Lu}[\\p{L}\\p{M}\\p{N}'’.-]*";
/** Names may hold a few small words: "House of Orange", "Ludwig van Beethoven". */
const joining = '(?:of|the|de|van|von|der|la|le|du|di|da|and|&)';
const pattern = new RegExp(
  `["“]([^"“”]{2,80})["”]|(${word}(?:[ \\u00a0]+(?:${joining}[ \\u00a0]+){0,2}${word})*)|(\\p{Nd}[\\p{Nd}.,:/-]*)`,
  'gu',
);

/** At most this many of one text: a page of names would otherwise be a list of thousands of actions. */
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
