/** Options of the survey. Independent of universes and indexes. */
import * as v from 'valibot';
import { instructionField } from '../../../envs/instruction.ts';
import { optionsReader } from '../../../envs/options.ts';
import { choice, listOf, option, text, toggle, whole } from '../../../fields/fields.ts';

const schema = v.strictObject({
  criteria: option(listOf('numbers of criteria', whole(2, 4)), [2, 3], {
    label: 'Criteria',
    sentence: 'Number of criteria of a question: with more of them, fewer works meet all and there is more to check.',
    unit: 'criteria',
    level: 'basic',
  }),
  articles: option(whole(20, 1000), 60, {
    label: 'Articles',
    sentence: 'Number of articles in a made universe, 45% of them works: with more articles there is more to read.',
    unit: 'articles',
    level: 'basic',
  }),
  documents: option(whole(1, 20), 5, {
    label: 'Documents a search',
    sentence: 'Number of titles that a search shows at a time.',
    unit: 'documents',
    level: 'basic',
  }),
  distractors: option(whole(0, 10), 1, {
    label: 'Asides',
    sentence: 'Number of sentences in an article that name another article without stating a fact.',
    unit: 'sentences',
  }),
  evidence: option(toggle(), false, {
    label: 'Reward needs evidence',
    sentence: 'A document that is filed with a wrong sentence earns nothing; if off, only its place counts.',
    level: 'basic',
  }),
  actions: option(choice(['sentences', 'numbers']), 'sentences', {
    label: 'Listed evidence',
    sentence: 'Form of the evidence in the valid actions: the sentence itself, or its number. Both are understood.',
    choiceLabels: { sentences: 'Sentences', numbers: 'Numbers' },
  }),
  seed: option(whole(0, 0xffffffff), 1, {
    label: 'Seed of the universes',
    sentence: 'Seed from which the universes are drawn; another seed gives other universes.',
  }),
  universes: option(whole(1, 10_000), 200, {
    label: 'Training universes',
    sentence: 'Number of universes that the training questions are about.',
    unit: 'universes',
  }),
  testUniverses: option(whole(1, 10_000), 20, {
    label: 'Held-out universes',
    sentence: 'Number of universes that the held-out questions are about; none of them occurs in training.',
    unit: 'universes',
  }),
  questions: option(whole(1, 100), 10, {
    label: 'Questions a universe',
    sentence: 'Number of questions about each universe.',
    unit: 'questions',
  }),
  heldOutCriteria: option(toggle(), true, {
    label: 'Held-out criteria',
    sentence: 'Every second held-out question joins criteria that no training question joins.',
  }),
  corpus: option(v.pipe(v.string('must be a name'), v.maxLength(200, 'must have at most 200 letters')), '', {
    label: 'Corpus',
    sentence: 'Name of a kept corpus that is surveyed instead of a made universe; empty for made universes.',
  }),
  surveys: option(listOf('surveys', text(1, 1000), 0), [], {
    label: 'Surveys of the corpus',
    sentence:
      'Questions about the corpus, each with its two to four criteria after it, separated by |: Which papers fit? | trains an agent | runs in a browser.',
  }),
  judge: option(text(0, 200), '', {
    label: 'Judge’s model',
    sentence:
      'Name of the model that judges the documents of the corpus, behind the OpenAI-compatible server at the address entered beside the world.',
  }),
  pool: option(whole(1, 50), 5, {
    label: 'Pool',
    sentence:
      'Number of documents found for each criterion that the judge reads too, so that works which the agent missed count.',
    unit: 'documents',
  }),
  instruction: instructionField,
});

export type SurveyOptions = v.InferOutput<typeof schema>;

/** Fills in defaults. An invalid option throws an error with its path, value and bounds. */
export const parseSurveyOptions = optionsReader('Survey', schema);
