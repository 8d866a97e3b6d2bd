/** Schema of Search's options. Independent of universes and indexes. */
import * as v from 'valibot';
import { instructionField } from '../../envs/instruction.ts';
import { optionsReader } from '../../envs/options.ts';
import { choice, listOf, option, toggle, whole } from '../../fields/fields.ts';

/** Bounds of a universe's size, in articles. */
const fewestArticles = 20;
const mostArticles = 100_000;

/** Maximum number of hops of a question. */
const mostHops = 4;

const schema = v.strictObject({
  hops: option(listOf('hops', whole(1, mostHops)), [1, 2], {
    label: 'Hops',
    sentence:
      'Number of articles that a question leads through: with 1 the answer is in the article that the question names, with 4 in the fourth article of the chain.',
    unit: 'articles',
    level: 'basic',
  }),
  articles: option(whole(fewestArticles, mostArticles), 60, {
    label: 'Articles',
    sentence:
      'Number of articles in a made universe: with more articles, more names are similar and searches are less precise.',
    unit: 'articles',
    level: 'basic',
  }),
  documents: option(whole(1, 20), 3, {
    label: 'Documents a search',
    sentence: 'Number of documents that a search shows, best first.',
    unit: 'documents',
    level: 'basic',
  }),
  facts: option(whole(1, 12), 8, {
    label: 'Facts',
    sentence: 'Maximum number of facts in an article: with more facts there is more to read.',
    unit: 'facts',
  }),
  distractors: option(whole(0, 10), 1, {
    label: 'Asides',
    sentence:
      'Number of sentences in an article that name another article without stating anything that a question asks for.',
    unit: 'sentences',
  }),
  seed: option(whole(0, 0xffffffff), 1, {
    label: 'Seed of the universes',
    sentence: 'Seed from which the universes are drawn; another seed gives other universes.',
  }),
  universes: option(whole(1, 10_000), 200, {
    label: 'Training universes',
    sentence:
      'Number of universes that the training questions are about: with more universes, nothing can be memorised.',
    unit: 'universes',
  }),
  testUniverses: option(whole(1, 10_000), 20, {
    label: 'Held-out universes',
    sentence: 'Number of universes that the held-out questions are about; none of them occurs in training.',
    unit: 'universes',
  }),
  questions: option(whole(1, 100), 20, {
    label: 'Questions a universe',
    sentence: 'Number of questions about each universe.',
    unit: 'questions',
  }),
  wordings: option(choice(['few', 'many', 'most']), 'few', {
    label: 'Wordings',
    sentence:
      'Number of wordings of a training question: with few (one to four for each fact and each phrase) a policy learns them by heart, with many (three to seven) it has to read them, and with most half of them follow by rule from the sentences of the articles.',
    choiceLabels: { few: 'few', many: 'many', most: 'most' },
  }),
  omitted: option(whole(0, 50), 0, {
    label: 'Words left out',
    sentence:
      'Share of the words of a training question that are left out, but no name and not the last word: a policy has to read all of a wording. Held-out questions are whole.',
    unit: '%',
  }),
  sameWording: option(toggle(), false, {
    label: 'Same wording',
    sentence: 'Held-out questions use the wordings of training; if off, they ask the same in other wordings.',
  }),
  ending: option(choice(['first-answer', 'search-r1', 'retry']), 'first-answer', {
    label: 'Ending',
    sentence:
      'Event that ends an episode: any answer; any answer or, as in Search-R1, the reply after two turns; or only a right answer, as in AgentGym.',
    choiceLabels: { 'first-answer': 'any answer', 'search-r1': 'as in Search-R1', retry: 'a right answer' },
  }),
  corpus: option(v.pipe(v.string('must be a name'), v.maxLength(200, 'must have at most 200 letters')), '', {
    label: 'Corpus',
    sentence: 'Name of a kept corpus with questions, used instead of made universes; empty for made universes.',
  }),
  retriever: option(toggle(), false, {
    label: 'Search on a server',
    sentence:
      'Send searches to a Search-R1 retriever or the proxy, at the address entered beside the world; the questions come from the corpus.',
  }),
  upstream: option(toggle(), false, {
    label: "AgentGym's rules",
    sentence: "Follow AgentGym's SearchQA exactly: its long prompt, its tags, and any number of answers.",
  }),
  instruction: instructionField,
  // Only in subgoals: asks for what a made question needs after so many hops.
  part: v.optional(whole(1, mostHops)),
});

export type SearchOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseSearchOptions = optionsReader('Search', schema);
