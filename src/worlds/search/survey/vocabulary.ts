/** Texts of a tiny policy's vocabulary: all wordings, sentences and names of small universes. */
import { nameWords, occupations } from '../universe/names.ts';
import { asideSentences, relations } from '../universe/relations.ts';
import { criterionKinds, openings } from './criteria.ts';

/** Largest number of articles for which the vocabulary contains all name parts. */
const articles = 200;

export function surveyTexts(): string[] {
  const wordings = [
    ...criterionKinds.flatMap(({ train, test }) => [...train, ...test]),
    ...openings.train,
    ...openings.test,
    ...relations.flatMap(({ sentences }) => sentences),
    ...asideSentences,
  ];
  return [
    ...nameWords(articles),
    ...occupations,
    ...wordings.map((text) => text.replace(/\{.*?\}/g, ' ')),
    ...Array.from({ length: 20 }, (_, k) => String(k + 1)),
    "It She He Its Her His 's The and , Question: Filed under yes partly no. search open more done",
    'Nothing was found. There are no more. There is no such title. Open a work first. The work has no such sentence.',
    'Say: search WORDS, more, open TITLE, yes N, partly N, no N, or done. The survey is over.',
  ];
}
