// `npm run localize`: reads every text of the page from its source and brings src/ui/locales/LOCALE.json in step: new texts come with an
// empty translation, texts that are gone are dropped. Names what is untranslated and fails where anything is.
//   npm run localize -- --check         changes nothing: for the tests
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

/** What is wrong with the translations of these messages, a line each. */
export function problemsOf(messages, known) {
  const ids = new Set(messages.map(({ id }) => id));
  const gone = Object.keys(known).filter((id) => !ids.has(id));
  return [
    ...messages
      .filter(({ id }) => !known[id]?.text)
      .map(({ id, text, file }) => `untranslated: ${id} (${file}): ${text}`),
    ...messages
      .filter(({ id, text }) => known[id]?.text && placeholders(known[id].text) !== placeholders(text))
      .map(({ id, text }) => `other values: ${id}: ${text} | ${known[id].text}`),
    ...gone.map((id) => `gone from the page: ${id}: ${known[id].en}`),
  ];
}

const write = (entries) => writeFileSync(localeFile, `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`);

if (process.argv[1] === import.meta.filename) {
  const [option, file] = process.argv.slice(2);
  const messages = await extractMessages();
  const known = readLocale();
  const filled = option === '--fill' ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const entries = messages
    .map(({ id, text }) => [id, { en: text, text: filled[id] ?? filled[text] ?? known[id]?.text ?? '' }])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (option !== '--check') write(entries);
  const problems = problemsOf(messages, option === '--check' ? known : Object.fromEntries(entries));
  for (const each of problems) console.log(each);
  console.log(`${messages.length} texts, ${problems.length} problems`);
  if (problems.length) process.exit(1);
}
