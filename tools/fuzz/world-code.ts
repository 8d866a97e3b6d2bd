/** Repeatable mutations of the source of a typed world. */
import { generator } from './mutations.ts';

/** Names, numbers, texts, spaces, and single signs. */
const tokens = /[\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?|'[^'\n]*'|`[^`]*`|\s+|=>|\.\.\.|[=!<>]==?|&&|\|\||./gsu;

const isName = (token: string) => /^[\p{L}_$]/u.test(token);

const numbers = ['0', '-1', '1e9', '1e308', '0 / 0', '2 ** 53', '0.1', '99999', 'null', "'2'"];
const texts = [
  "''",
  "'\\n'",
  "'\\0'",
  "'\\ud800'",
  "'<img src=x onerror=alert(1)>'",
  "'x'.repeat(3e6)",
  "'__proto__'",
  '`a`',
  '5',
];
const operators = ['+', '-', '*', '/', '%', '===', '!==', '<', '>', '&&', '||', '='];
const statements = [
  'for (;;) {}',
  'throw null;',
  'throw new Proxy({}, { get() { for (;;) {} } });',
  'return;',
  'return { text: 1 };',
  "return { get text() { throw new Error('hidden'); } };",
  'return { text: "a", reward: 1 / 0, done: true };',
  'return { text: "x".repeat(1e7) };',
  'new ArrayBuffer(4e9);',
  'globalThis.kept = []; for (;;) globalThis.kept.push("x".repeat(1e6));',
  'Object.prototype.text = "leak";',
  'Array.prototype.map = () => [];',
  '({}).__proto__.leak = 1;',
  'JSON.stringify = () => "[1]";',
  'step.constructor("return this")().leak = 1;',
  'await 0;',
  'import("node:fs");',
  'fetch("/");',
  '(function f() { f(); })();',
  "/^(a+)+$/.test('a'.repeat(40) + 'b');",
];

type Below = (below: number) => number;
type Change = (parts: string[], random: Below) => string[];

const places = (parts: readonly string[], is: (token: string) => boolean) =>
  [...parts.keys()].filter((k) => is(parts[k]));

function replaced(parts: string[], at: readonly number[], by: readonly string[], random: Below): string[] {
  if (at.length) parts[at[random(at.length)]] = by[random(by.length)];
  return parts;
}

const isText = (token: string) => /^['`]/.test(token);
const isNumber = (token: string) => /^\d/.test(token);
const isSign = (token: string) => operators.includes(token);

/** Each returns the tokens with one change. Most keep the syntax. */
const changes: readonly Change[] = [
  (parts, random) => {
    const names = places(parts, isName);
    return replaced(parts, names, [parts[names[random(names.length)]]], random);
  },
  (parts, random) => replaced(parts, places(parts, isNumber), numbers, random),
  (parts, random) => replaced(parts, places(parts, isNumber), numbers, random),
  (parts, random) => replaced(parts, places(parts, isText), texts, random),
  (parts, random) => replaced(parts, places(parts, isSign), operators, random),
  (parts, random) => {
    const ends = places(parts, (each) => each === '{' || each === ';');
    return parts.toSpliced(ends[random(ends.length)] + 1, 0, ` ${statements[random(statements.length)]} `);
  },
  // A line dropped, doubled or moved.
  (parts, random) => {
    const lines = parts.join('').split('\n');
    const [line] = lines.splice(random(lines.length), random(2));
    lines.splice(random(lines.length), 0, ...(random(2) ? [line ?? lines[random(lines.length)]] : []));
    return lines.join('\n').match(tokens) ?? [];
  },
  (parts, random) => parts.toSpliced(random(parts.length), 1 + random(4)),
  (parts, random) => {
    const at = random(parts.length);
    parts[at] = String.fromCharCode(random(0x10000)) + parts[at].slice(1);
    return parts;
  },
];

/** Mutation `number` of a source, with one to three changes. */
export function mutatedSource(source: string, seed: number, number: number): string {
  const random = generator(seed * 1_000_003 + number);
  let parts: string[] = source.match(tokens) ?? [];
  for (let left = 1 + random(3); left > 0 && parts.length > 0; left--)
    parts = changes[random(changes.length)]([...parts], random);
  return parts.join('');
}
