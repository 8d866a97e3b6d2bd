// `npm run localize`: reads every text of the page from its source and updates src/ui/locales/LOCALE.json: adds new texts with an empty
// translation, drops texts that no source has. Lists what a translator has to do and fails if there is anything.
//   npm run localize -- --check         changes nothing; `npm run build` refuses a release by it
//   npm run localize -- --warn          changes nothing; fails only for a translation that would break the page: `npm test`
//   npm run localize -- --fill FILE     takes translations from a JSON of {id or English: translation}
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readConfigFileAndWriteSchema } from '@lit/localize-tools/lib/config.js';
import { RuntimeLitLocalizer } from '@lit/localize-tools/lib/modes/runtime.js';
import { root } from './machine.mjs';
import { writeRegistryMessages } from './registry-messages.mjs';

const locale = 'zh-Hans';
export const localeFile = join(root, `src/ui/locales/${locale}.json`);

/** A message as one string; values are `${0}`, `${1}`, ... */
const textOf = (contents) => contents.map((part) => (typeof part === 'string' ? part : `\${${part.index}}`)).join('');

/** Every text of the page: `[{id, text, file}]`. */
export async function extractMessages() {
  await writeRegistryMessages();
  const config = readConfigFileAndWriteSchema(join(root, 'lit-localize.json'));
  const { messages, errors } = new RuntimeLitLocalizer(config).extractSourceMessages();
  if (errors.length) throw new Error(errors.map((each) => String(each.messageText ?? each)).join('\n'));
  return messages.map(({ name, contents, file }) => ({
    id: name,
    text: textOf(contents),
    file: relative(root, file.fileName),
  }));
}

export const readLocale = () => (existsSync(localeFile) ? JSON.parse(readFileSync(localeFile, 'utf8')) : {});

const placeholders = (text) =>
  [...text.matchAll(/\$\{\d+\}/g)]
    .map(([each]) => each)
    .sort()
    .join();

/**
 * Translations whose values differ from the message's, a line each. Shown on the page, they would print a placeholder.
 */
export const brokenIn = (messages, known) =>
  messages
    .filter(({ id, text }) => known[id]?.text && placeholders(known[id].text) !== placeholders(text))
    .map(({ id, text }) => `other values: ${id}: ${text} | ${known[id].text}`);

/**
 * Work left for a translator, a line each. Until it is done the page shows English, or a translation of the earlier
 * English.
 */
export function staleIn(messages, known) {
  const ids = new Set(messages.map(({ id }) => id));
  const gone = Object.keys(known).filter((id) => !ids.has(id));
  return [
    ...messages
      .filter(({ id }) => !known[id]?.text)
      .map(({ id, text, file }) => `untranslated: ${id} (${file}): ${text}`),
    ...messages
      .filter(({ id, text }) => known[id]?.text && known[id].en !== text)
      .map(({ id, text }) => `changed in English: ${id}: ${known[id].en} -> ${text} | ${known[id].text}`),
    ...gone.map((id) => `gone from the page: ${id}: ${known[id].en}`),
  ];
}

/**
 * Entries of the file for these messages. A translation of an earlier English text keeps that text, so that it stays
 * listed.
 */
export function entriesFor(messages, known, filled) {
  const entry = ({ id, text }) => {
    const translation = filled[id] ?? filled[text];
    if (translation !== undefined) return [id, { en: text, text: translation }];
    return [id, known[id]?.text ? known[id] : { en: text, text: '' }];
  };
  return messages.map(entry).sort(([a], [b]) => (a < b ? -1 : 1));
}

const write = (entries) => writeFileSync(localeFile, `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`);

if (process.argv[1] === import.meta.filename) {
  const [option, file] = process.argv.slice(2);
  const messages = await extractMessages();
  const known = readLocale();
  const filled = option === '--fill' ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const changes = option !== '--check' && option !== '--warn';
  const entries = entriesFor(messages, known, filled);
  if (changes) write(entries);
  const translations = changes ? Object.fromEntries(entries) : known;
  const broken = brokenIn(messages, translations);
  const stale = staleIn(messages, translations);
  for (const each of [...broken, ...stale]) console.log(option === '--warn' ? `warning: ${each}` : each);
  console.log(`${messages.length} texts, ${broken.length} broken translations, ${stale.length} stale or missing`);
  if (broken.length || (stale.length && option !== '--warn')) process.exit(1);
}
