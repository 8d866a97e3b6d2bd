// `npm run expressions [-- --write]`: every regular expression of src and proxies is in expressions.json with its time on
// hostile text, as recheck finds it: linear, polynomial (with its degree), or undecided within ten seconds. Only new
// ones are checked. What is not linear needs a note on the texts that it reads; exponential ones are refused. An
// expression that is composed at run time (`new RegExp(...)`) is listed as `made`, since recheck cannot read it.
// --write adds new ones and removes those that are gone. tests/scripts/expressions.test.ts compares list and sources.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { root } from './machine.mjs';

const listFile = join(root, 'scripts/expressions.json');
const folders = ['src', 'proxies'];
const mostMs = 10_000;

/** Expressions of a source: `{ text, pattern, flags }`, or `{ text }` for one that is composed at run time. */
export function expressionsIn(path, source) {
  const found = [];
  const made = ({ callee, arguments: parts, start, end }) => {
    if (callee.name !== 'RegExp' || parts.length === 0) return;
    found.push({ text: source.slice(start, end).replace(/\s+/g, ' ') });
  };
  new Visitor({
    Literal({ regex }) {
      if (regex) found.push({ text: `/${regex.pattern}/${regex.flags}`, ...regex });
    },
    NewExpression: made,
    CallExpression: made,
  }).visit(parseSync(path, source).program);
  return found;
}

/** All expressions of the project by their text, each with one of its files. */
export function allExpressions() {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
  const found = new Map();
  for (const file of files.filter((each) => each.endsWith('.ts') && !each.includes('/locales/generated/')))
    for (const each of expressionsIn(file, readFileSync(join(root, file), 'utf8')))
      found.set(each.text, { ...each, file });
  return found;
}

export const reviewedList = () => JSON.parse(readFileSync(listFile, 'utf8'));

/** Problems of the list beside the sources. */
export function problemsOf(expressions, list) {
  const names = [...expressions.keys()];
  return [
    ...names.filter((text) => !Object.hasOwn(list, text)).map((text) => `not checked: ${text}`),
    ...Object.entries(list)
      .filter(([, verdict]) => !/^(linear|(polynomial of degree \d+|undecided|made): \S.*)$/.test(verdict))
      .map(([text, verdict]) => `${verdict}, without a note: ${text}`),
  ];
}

async function verdictOf({ pattern, flags }) {
  if (pattern === undefined) return 'made';
  // The native back end takes milliseconds where the others take seconds.
  process.env.RECHECK_BACKEND ??= 'native';
  const { check } = await import('recheck');
  const { status, complexity } = await check(pattern, flags, { timeout: mostMs });
  if (status === 'safe') return 'linear';
  if (status === 'unknown') return 'undecided';
  return complexity.type === 'polynomial' ? `polynomial of degree ${complexity.degree}` : complexity.type;
}

async function main(write) {
  const expressions = allExpressions();
  const before = reviewedList();
  const list = {};
  for (const [text, each] of [...expressions].sort(([a], [b]) => (a < b ? -1 : 1))) {
    list[text] = before[text] ?? (await verdictOf(each));
    if (!(text in before)) console.log(`${each.file}: ${list[text]}: ${text}`);
  }
  if (write) writeFileSync(listFile, `${JSON.stringify(list, null, 2)}\n`);
  const problems = problemsOf(expressions, write ? list : before);
  for (const problem of problems) console.error(problem);
  const count = (kind) => Object.values(list).filter((verdict) => verdict.startsWith(kind)).length;
  console.log(
    `${expressions.size} expressions: ${count('linear')} linear, ${count('polynomial')} polynomial, ${count('undecided')} undecided, ${count('made')} made at run time, ${problems.length} problems`,
  );
  return problems.length ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) process.exit(await main(process.argv.includes('--write')));
