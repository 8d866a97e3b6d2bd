/**
 * Writes articles: the facts of an entity as sentences in random order and wording, with asides that name other
 * articles. Records each article's mentions, from which the valid actions are made. Independent of questions.
 */
import { mixSeeds, Random } from '../../../envs/random.ts';
import { asideSentences } from './relations.ts';
import type { Entity, Fact, Universe } from './universe.ts';

/** A name or value in a text that may be searched for or be an answer. */
export interface Mention {
  text: string;
  /** True if it has an article of its own, so that it can be searched for. */
  named: boolean;
}

export interface Article {
  title: string;
  text: string;
  /** Distinct mentions in the text, without the title. */
  mentions: Mention[];
  /** Relation that each sentence states, in order; null: an aside. */
  stated: (string | null)[];
}

const possessives = { It: 'Its', She: 'Her', He: 'His' };

/** Fills the placeholders of a sentence. `byName`: writes the subject's name instead of its pronoun. */
function fillSentence(sentence: string, subject: Entity, object: string, byName: boolean): string {
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

/**
 * Writes the article of one entity, with `distractors` asides. Depends only on its arguments, not on the order in which
 * articles are written.
 */
export function writeArticle(universe: Universe, index: number, distractors: number): Article {
  const random = new Random(mixSeeds(universe.seed, 0xa27, index));
  const subject = universe.entities[index];
  const lines = universe.facts[index].map((fact) => ({
    sentence: random.pick(fact.relation.sentences),
    object: { text: textOf(fact, universe), named: typeof fact.object === 'number' },
    relation: fact.relation.id as string | null,
  }));
  for (let k = 0; k < distractors; k++) {
    const other =
      universe.entities[(index + 1 + random.below(universe.entities.length - 1)) % universe.entities.length];
    lines.push({ sentence: random.pick(asideSentences), object: { text: other.name, named: true }, relation: null });
  }
  random.shuffle(lines);
  const text = lines
    .map(({ sentence, object }, k) => fillSentence(sentence, subject, object.text, k === 0 || random.chance(30)))
    .join(' ');
  return {
    title: subject.name,
    text,
    mentions: onceEach(lines.map(({ object }) => object)),
    stated: lines.map(({ relation }) => relation),
  };
}

/** Drops mentions whose text has occurred before. */
export function onceEach(mentions: readonly Mention[]): Mention[] {
  const seen = new Set<string>();
  return mentions.filter(({ text }) => !seen.has(text) && seen.add(text));
}
