/** The words that a tiny policy needs for small universes: every sentence, question and phrase, every word of a name, every reply. */
import { agentGymRules } from './rules/agentgym.ts';
import { ownRules } from './rules/own.ts';
import { nameWords, occupations } from './universe/names.ts';
import { asides, relations } from './universe/relations.ts';

/** Names in universes of up to this many articles are whole words; in larger ones some fall into letters. */
const articles = 200;

const wordings = () =>
  relations.flatMap(({ sentences, questions, phrases }) => [
    ...sentences,
    ...questions.train,
    ...questions.test,
    ...phrases.train,
    ...phrases.test,
  ]);

const spoken = () =>
  [ownRules, agentGymRules].flatMap((rules) => [
    rules.ask(''),
    rules.show([]),
    rules.right,
    rules.wrong,
    rules.invalid,
    rules.write({ kind: 'search', query: '' }),
    rules.write({ kind: 'answer', text: '' }),
  ]);

export function searchTexts(): string[] {
  return [
    ...nameWords(articles),
    ...occupations,
    ...[...wordings(), ...asides].map((text) => text.replace(/\{.*?\}/g, ' ')),
    "It She He Its Her His 's The episode is over.",
    ...spoken(),
  ];
}
