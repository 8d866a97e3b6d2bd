/**
 * Articles: a universe's facts in sentences, shuffled, each in one of several wordings, with asides that name other articles. What
 * an article mentions is noted while it is written, because the valid actions are made of that. Knows no question.
 */
import { mixSeeds, Random } from './random.ts';
import { asides } from './relations.ts';
import type { Entity, Fact, Universe } from './universe.ts';

/** What a text offers to search for or to answer with, in its order. */
export interface Mention {
  text: string;
  /** Has an article of its own: worth a search. */
  named: boolean;
}

export interface Article {
  title: string;
  text: string;
  /** Of the text, each once; the title is not among them. */
  mentions: Mention[];
}

const possessives = { It: 'Its', She: 'Her', He: 'His' };

/** What becomes of `{s}` and its like in a sentence. The subject goes by its name at first, then by name or pronoun. */
export function fillSentence(sentence: string, subject: Entity, object: string, byName: boolean): string {
  const { name, pronoun } = subject;
  return sentence
    .replace("{s's}", byName ? `${name}'s` : possessives[pronoun])
    .replace('{s}', byName ? name : pronoun)
    .replace('{S}', name)
    .replace('{o}', object)
    .replace('{d}', object);
}

const textOf = ({ object }: Fact, { entities }: Universe): string =>
  typeof object === 'number' ? entities[object].name : object;

/** Of one entity; `distractors`: how many asides it holds. Same universe, same entity, same article, whichever is written first. */
export function writeArticle(universe: Universe, index: number, distractors: number): Article {
  const random = new Random(mixSeeds(universe.seed, 0xa27, index));
  const subject = universe.entities[index];
  const lines = universe.facts[index].map((fact) => ({
    sentence: random.pick(fact.relation.sentences),
    object: { text: textOf(fact, universe), named: typeof fact.object === 'number' },
  }));
  for (let k = 0; k < distractors; k++) {
    const other =
      universe.entities[(index + 1 + random.below(universe.entities.length - 1)) % universe.entities.length];
    lines.push({ sentence: random.pick(asides), object: { text: other.name, named: true } });
  }
  random.shuffle(lines);
  const text = lines
    .map(({ sentence, object }, k) => fillSentence(sentence, subject, object.text, k === 0 || random.chance(30)))
    .join(' ');
  return { title: subject.name, text, mentions: onceEach(lines.map(({ object }) => object)) };
}

/** The first of each text. */
export function onceEach(mentions: readonly Mention[]): Mention[] {
  const seen = new Set<string>();
  return mentions.filter(({ text }) => !seen.has(text) && seen.add(text));
}
