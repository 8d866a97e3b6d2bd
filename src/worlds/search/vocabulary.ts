/**
 * Texts of a tiny policy's vocabulary for small universes: all sentences, questions, phrases, name parts and replies.
 */
import { agentGymRules } from './rules/agentgym.ts';
import { ownRules } from './rules/own.ts';
import { nameWords, occupations } from './universe/names.ts';
import { asideSentences, relations } from './universe/relations.ts';

/**
 * Largest number of articles for which the vocabulary contains all name parts. In larger universes some names are split
 * into letters.
 */
const articles = 200;

const wordings = () =>
  relations.flatMap(({ sentences, questions, phrases }) => [
    ...sentences,
    ...questions.train,
    ...questions.test,
    ...questions.more,
    ...phrases.train,
    ...phrases.test,
    ...phrases.more,
  ]);

const ruleTexts = () =>
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
    ...[...wordings(), ...asideSentences].map((text) => text.replace(/\{.*?\}/g, ' ')),
    "It She He Its Her His 's The episode is over.",
    ...ruleTexts(),
  ];
}
