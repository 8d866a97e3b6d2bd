/**
 * Wordings that follow by rule from what a relation already says: a sentence with its object asked for ("Velaria is ruled
 * from which town?"), and noun phrases in frames ("Name the town Velaria is ruled from."). A policy that trains on them
 * meets each word of a relation in many places. A held-out wording is never among them.
 */
import { type Relation, relations } from './relations.ts';

export type Part = 'questions' | 'phrases';

const nounOf = ({ object }: Relation) => (object === 'count' ? 'number' : object);
const asked = ({ object }: Relation) => (object === 'count' ? 'how many' : `which ${object}`);

const capital = (text: string) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** A sentence's clause with plain slots: `{s}` for the subject, `{o}` for the object with its article. */
const clauseOf = (sentence: string) =>
  sentence
    .replace("{s's}", "{s}'s")
    .replace('{S}', '{s}')
    .replace(/(?:a|the year) \{o\}/, '{o}')
    .replace(/\.$/, '');

/** Noun phrases for the object by one sentence: "the town {s} comes from", "{s}'s mayor", "the person that founded {s}". */
function nounPhrases(sentence: string, relation: Relation): string[] {
  const clause = clauseOf(sentence);
  const owned = /^(\{s\}'s .+) (?:is|was) \{o\}$/.exec(clause);
  if (owned) return [owned[1]];
  const open = clause.replace(/ ?\{o\}/, '').trim();
  // What is left of "{s} is a {o}" or "The mayor of {S} is {o}" names no object.
  if (open.endsWith(' is') || relation.object === 'count') return [];
  const noun = nounOf(relation);
  return clause.startsWith('{o}') ? [`the ${noun} that ${open}`] : [`the ${noun} ${open}`, `the ${noun} that ${open}`];
}

const heldOut = new Set(relations.flatMap(({ questions, phrases }) => [...questions.test, ...phrases.test]));

/** The noun phrases of a relation whose object is one thing. */
function derivedPhrases(relation: Relation): string[] {
  if (relation.many) return [];
  return relation.sentences
    .flatMap((sentence) => nounPhrases(sentence, relation))
    .filter((phrase) => !heldOut.has(phrase));
}

function derivedQuestions(relation: Relation): string[] {
  const { phrases, sentences } = relation;
  const framed = [...phrases.train, ...phrases.more, ...derivedPhrases(relation)].flatMap((phrase) => [
    `Name ${phrase}.`,
    `${relation.object === 'person' ? 'Who' : 'What'} is ${phrase}?`,
    ...(phrase.startsWith(`the ${nounOf(relation)} `) ? [] : [`Which ${nounOf(relation)} is ${phrase}?`]),
  ]);
  return [...sentences.map((sentence) => capital(`${clauseOf(sentence).replace('{o}', asked(relation))}?`)), ...framed];
}

function derive(relation: Relation, part: Part): string[] {
  const { train, more } = relation[part];
  if (train.length === 0) return [];
  const written = new Set([...train, ...more]);
  const all = part === 'questions' ? derivedQuestions(relation) : derivedPhrases(relation);
  return [...new Set(all)].filter((text) => !written.has(text) && !heldOut.has(text));
}

const derived = new Map(
  relations.map((relation) => [
    relation,
    { questions: derive(relation, 'questions'), phrases: derive(relation, 'phrases') },
  ]),
);

/** A wording with a possessive around a noun phrase ("the mayor of Velaria's birthplace") would mean something else. */
export const owns = (wording: string) => wording.includes("{s}'s");
const isPhrase = (subject: string) => subject.startsWith('the ');

/**
 * The derived wordings of a relation's questions, or of its phrases if a question can continue from its object, that can
 * ask about this subject: a name or a noun phrase.
 */
export const derivedWordings = (relation: Relation, part: Part, subject = ''): readonly string[] =>
  derived.get(relation)![part].filter((wording) => !(isPhrase(subject) && owns(wording)));
