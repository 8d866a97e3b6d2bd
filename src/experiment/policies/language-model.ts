/** What all language models have in a document. */
import { field, text } from '../../fields/fields.ts';

/** A model of the catalogue, a repository of the Hub, or a folder; the page writes the key of a model that it keeps. */
export const modelField = field(text(1, 500), {
  label: 'Language model',
  sentence:
    'Which model plays, or stands behind the adapter: one of the catalogue, a repository of the Hub, or one that is kept here.',
  level: 'basic',
  change: 'restart',
});
