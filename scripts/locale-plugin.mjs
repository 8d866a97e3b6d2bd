// Loads only the translations of a locale file into the page; the English beside each is for translators.
import { readFileSync } from 'node:fs';

export const localeWords = () => ({
  name: 'locale-words',
  enforce: 'pre',
  load(id) {
    if (!/\/locales\/[\w-]+\.json$/.test(id)) return null;
    const entries = Object.entries(JSON.parse(readFileSync(id, 'utf8')));
    const words = Object.fromEntries(entries.filter(([, { text }]) => text).map(([key, { text }]) => [key, text]));
    return JSON.stringify(words);
  },
});
