/** Fields of all language models. */
import { field, text } from '../../fields/fields.ts';

/** A model of the catalogue, a repository of the Hub, or a folder. For a stored model the page writes its key. */
export const modelField = field(text(1, 500), {
  label: 'Language model',
  sentence: 'Language model: a name of the catalogue, a repository of the Hub, or a model stored here.',
  level: 'basic',
  change: 'restart',
});
