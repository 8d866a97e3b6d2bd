/** Schema of Search's options. Independent of universes and indexes. */
import * as v from 'valibot';
import { listOf, oneOf, option, optionsReader, whole, yesOrNo } from '../../envs/options.ts';

/** Bounds of a universe's size, in articles. */
const fewestArticles = 20;
const mostArticles = 100_000;

/** Maximum number of hops of a question. */
const mostHops = 4;

const schema = v.strictObject({
  hops: option(listOf('hops', whole(1, mostHops)), [1, 2], {
    label: 'Hops',
    sentence:
      'How many articles a question leads through: 1 is answered in the article it names, 4 in the fourth from there.',
    unit: 'articles',
    level: 'basic',
  }),
  articles: option(whole(fewestArticles, mostArticles), 60, {
    label: 'Articles',
    sentence: 'How many articles a made universe has: with more of them, more names are alike and searches find less.',
    unit: 'articles',
    level: 'basic',
  }),
  documents: option(whole(1, 20), 3, {
    label: 'Documents a search',
    sentence: 'How many documents a search shows, the best first.',
    unit: 'documents',
    level: 'basic',
  }),
  facts: option(whole(1, 12), 8, {
    label: 'Facts',
    sentence: 'How many facts an article tells at most: with more of them there is more to read.',
    unit: 'facts',
  }),
  distractors: option(whole(0, 10), 1, {
    label: 'Asides',
    sentence: 'How many sentences of an article name another article and tell nothing that is asked.',
    unit: 'sentences',
  }),
  seed: option(whole(0, 0xffffffff), 1, {
    label: 'Seed of the universes',
    sentence: 'What the universes are drawn from: another seed, another world.',
  }),
  universes: option(whole(1, 10_000), 200, {
    label: 'Training universes',
    sentence: 'How many universes the training questions are about: with more of them, nothing can be learnt by heart.',
    unit: 'universes',
  }),
  testUniverses: option(whole(1, 10_000), 20, {
    label: 'Held-out universes',
    sentence: 'How many universes the held-out questions are about; none of them is met in training.',
    unit: 'universes',
  }),
  questions: option(whole(1, 100), 20, {
    label: 'Questions a universe',
    sentence: 'How many questions are asked about each universe.',
    unit: 'questions',
  }),
  sameWording: option(yesOrNo(), false, {
    label: 'Same wording',
    sentence:
      'Whether held-out questions are worded like the training ones; otherwise they ask the same in other words.',
  }),
  ending: option(oneOf(['first-answer', 'search-r1', 'retry']), 'first-answer', {
    label: 'Ending',
    sentence:
      'What ends an episode: any answer; any answer or, as in Search-R1, the reply after two turns; or only a right answer, as in AgentGym.',
    choiceLabels: { 'first-answer': 'any answer', 'search-r1': 'as in Search-R1', retry: 'a right answer' },
  }),
  corpus: option(v.pipe(v.string('must be a name'), v.maxLength(200, 'must have at most 200 letters')), '', {
    label: 'Corpus',
    sentence: 'Name of a kept corpus with questions, to play instead of made universes; empty for made universes.',
  }),
  retriever: option(yesOrNo(), false, {
    label: 'Search on a server',
    sentence:
      "Whether searches are asked of a Search-R1 retriever or the proxy, at the address typed beside the world; the questions are the corpus's.",
  }),
  upstream: option(yesOrNo(), false, {
    label: "AgentGym's rules",
    sentence:
      "Whether AgentGym's SearchQA is followed to the letter: its long prompt, its tags, and as many answers as one likes.",
  }),
});

export type SearchOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseSearchOptions = optionsReader('Search', schema);
