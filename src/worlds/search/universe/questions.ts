/**
 * Makes questions about a universe: a random walk over its facts, written from the inside out ("the founder of X",
 * "Where was the founder of X born?"). A question needs all of its hops: no earlier article on its path contains an
 * answer. Answers come from the solver.
 */
import { WorldError } from '../../../envs/env.ts';
import { mixSeeds, Random } from '../../../envs/random.ts';
import { derivedWordings, type Part } from './derived.ts';
import { type Article, writeArticle } from './prose.ts';
import { type Relation, relationOf } from './relations.ts';
import { type Chain, solve } from './solver.ts';
import type { Universe } from './universe.ts';

export interface Question {
  text: string;
  hops: number;
  chain: Chain;
  /** Titles of the articles with the evidence, in the order in which they are needed. */
  evidence: string[];
  /** Accepted answers, any one of which is right. */
  golds: string[];
}

/** Set of wordings: those of training, with further ones, with derived ones in half of the places; or held-out ones. */
export type Wording = 'train' | 'many' | 'most' | 'test';

/** Asks for a relation's object, of a name or of what a noun phrase means. */
function fill(relation: Relation, part: Part, subject: string, wording: Wording, random: Random): string {
  const { train, more, test } = relation[part];
  const derived = wording === 'most' ? derivedWordings(relation, part, subject) : [];
  if (derived.length > 0 && random.chance(50)) return random.pick(derived).replace('{s}', subject);
  const written = [...train, ...more];
  return random.pick({ train, many: written, most: written, test }[wording]).replace('{s}', subject);
}

const attempts = 400;

/**
 * Random walk from a random entity. The last object may be a plain value or one of several. Returns null if the walk
 * reaches a dead end or an entity twice.
 */
function walk({ entities, facts }: Universe, hops: number, random: Random): { chain: Chain; path: number[] } | null {
  const path = [random.below(entities.length)];
  const relations: string[] = [];
  for (let hop = 1; ; hop++) {
    const here = facts[path[path.length - 1]];
    const open = hop === hops ? here : here.filter((fact) => typeof fact.object === 'number' && !fact.relation.many);
    if (open.length === 0) return null;
    const { relation, object } = random.pick(open);
    relations.push(relation.id);
    if (hop === hops) return { chain: { start: path[0], relations }, path };
    if (path.includes(object as number)) return null;
    path.push(object as number);
  }
}

/** True if neither the question nor an article before the last one contains an answer. */
function needsAllHops(golds: readonly string[], earlier: readonly Article[], question: string): boolean {
  const read = [question, ...earlier.flatMap(({ title, text }) => [title, text])];
  return !golds.some((gold) => read.some((text) => text.includes(gold)));
}

function writeQuestion({ entities }: Universe, { start, relations }: Chain, wording: Wording, random: Random): string {
  const known = relations.map(relationOf);
  const inner = known
    .slice(0, -1)
    .reduce((text, relation) => fill(relation, 'phrases', text, wording, random), entities[start].name);
  return fill(known[known.length - 1], 'questions', inner, wording, random);
}

/** Leaves out words of a question by chance (`percent`), but none of its names and not the last one. */
export function withoutWords(text: string, names: readonly string[], percent: number, random: Random): string {
  const kept = new Set(names.flatMap((name) => name.split(' ')));
  const words = text.split(' ');
  return words.filter((word, k) => kept.has(word) || k === words.length - 1 || !random.chance(percent)).join(' ');
}

export interface QuestionPlan {
  /** Numbers of hops, used by the questions in turn. */
  hops: readonly number[];
  wording: Wording;
  distractors: number;
}

/** The question that asks for what a question needs after its first `part` hops. Depends only on its arguments. */
export function partOfQuestion(
  universe: Universe,
  { wording }: Pick<QuestionPlan, 'wording'>,
  { chain, evidence }: Question,
  { number, part }: { number: number; part: number },
): Question {
  const relations = chain.relations.slice(0, part);
  const random = new Random(mixSeeds(universe.seed, 0x9e6, number, part));
  const shorter = { start: chain.start, relations };
  return {
    text: writeQuestion(universe, shorter, wording, random),
    hops: part,
    chain: shorter,
    evidence: evidence.slice(0, part),
    golds: solve(universe, shorter),
  };
}

/** Makes question `number` of a universe. Depends only on its arguments. */
export function makeQuestion(universe: Universe, plan: QuestionPlan, number: number): Question {
  const hops = plan.hops[number % plan.hops.length];
  const random = new Random(mixSeeds(universe.seed, 0x9e5, number, hops));
  for (let attempt = 0; attempt < attempts; attempt++) {
    const found = walk(universe, hops, random);
    if (!found) continue;
    const { chain, path } = found;
    const golds = solve(universe, chain);
    const text = writeQuestion(universe, chain, plan.wording, random);
    const earlier = path.slice(0, -1).map((index) => writeArticle(universe, index, plan.distractors));
    if (needsAllHops(golds, earlier, text))
      return { text, hops, chain, evidence: path.map((index) => universe.entities[index].name), golds };
  }
  throw new WorldError(
    `The universe of seed ${universe.seed} has no question of ${hops} hops (${universe.entities.length} articles). Take more articles or more facts.`,
  );
}
