/** Texts of an assignment in the page's languages; English is always there. */
import * as v from 'valibot';

const longest = 4000;

const words = v.pipe(v.string(), v.trim(), v.nonEmpty('must not be empty'), v.maxLength(longest));

/** A text in English and, if the teacher wrote it, in Chinese. */
export const textSchema = v.strictObject({ en: words, zh: v.optional(words) });

type Words = v.InferOutput<typeof textSchema>;

/** The text in a language of the page; English where it is missing. */
export const wordsIn = ({ en, zh }: Words, language: string): string => (language.startsWith('zh') ? (zh ?? en) : en);
