// Misbehaving code, each piece with the error class it must cause. Node and the browsers run the same list in the same
// sandbox.
import { CodeError, SandboxMemoryError, SandboxTimeoutError } from '../../src/sandbox/errors.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

export interface Misbehaving {
  what: string;
  code: string;
  error: new (message: string) => Error;
  /** Pattern that the message must match. */
  pattern: RegExp;
}

const main = (body: string) => `export function main(arrays, values) {\n  ${body}\n}\n`;

export const misbehaving: readonly Misbehaving[] = [
  {
    what: 'a loop that never ends',
    code: main('while (1);'),
    error: SandboxTimeoutError,
    pattern: /near line 1: .*did not end/,
  },
  {
    what: 'a loop that catches everything',
    code: main('for (;;) { try { while (1); } catch {} finally { while (1); } }'),
    error: SandboxTimeoutError,
    pattern: /did not end/,
  },
  { what: 'a loop on loading', code: 'while (1);', error: SandboxTimeoutError, pattern: /did not end/ },
  {
    what: 'a regular expression that explodes',
    code: main('return /(a+)+b/.test("a".repeat(40));'),
    error: SandboxTimeoutError,
    pattern: /did not end/,
  },
  {
    what: '1 GB at once',
    code: main('return new ArrayBuffer(2 ** 30);'),
    error: SandboxMemoryError,
    pattern: /line 2, column \d+.*64 MB/,
  },
  {
    what: '4 GB at once',
    code: main('return new ArrayBuffer(4 * 2 ** 30);'),
    error: CodeError,
    pattern: /line 2, column \d+: RangeError/,
  },
  {
    what: 'memory bit by bit',
    code: main('const all = []; for (;;) all.push(new Float64Array(1e5));'),
    error: SandboxMemoryError,
    pattern: /line 2, column \d+.*64 MB/,
  },
  {
    what: 'endless recursion',
    code: main('return (function f() { return f() + 1; })();'),
    error: CodeError,
    pattern: /line 2, column \d+: .*stack/,
  },
  {
    what: 'a thrown error',
    code: main('const x = 1;\n    null.foo;'),
    error: CodeError,
    pattern: /objective\.js, line 3, column \d+: TypeError/,
  },
  { what: 'a thrown number', code: main('throw 5;'), error: CodeError, pattern: /the code threw 5/ },
  {
    what: 'what cannot be read',
    code: 'let x = 1;\nlet y = ;',
    error: CodeError,
    pattern: /objective\.js, line 2, column 9: SyntaxError/,
  },
  { what: 'no function', code: 'export const x = 1;', error: CodeError, pattern: /must export a function named main/ },
  { what: 'an await that nothing answers', code: 'await new Promise(() => {});', error: CodeError, pattern: /await/ },
  { what: 'an import', code: 'import fs from "fs";', error: CodeError, pattern: /could not load module 'fs'/ },
  {
    what: 'dice',
    code: main('return { values: Math.random() };'),
    error: CodeError,
    pattern: /line 2, column \d+: Error: Math\.random is not available/,
  },
  ...[
    'fetch("/")',
    'new Date()',
    'performance.now()',
    'process.exit()',
    'require("fs")',
    'self.close()',
    'new Worker("x")',
    'setTimeout(() => {}, 0)',
    'postMessage(1)',
    'WebAssembly.compile',
  ].map(
    (text): Misbehaving => ({
      what: text,
      code: main(`${text};`),
      error: CodeError,
      pattern: /line 2, column \d+: ReferenceError/,
    }),
  ),
  ...[
    '[].constructor.constructor("return process")()',
    'main.constructor("return fetch")()',
    '(async () => {}).constructor("return self")()(1)',
    'Object.getPrototypeOf(arrays).constructor.constructor("return globalThis.process.env")()',
    'Math.random.constructor("return postMessage")()',
    '(0, eval)("process")',
    'new Error().constructor.prepareStackTrace.call()',
  ].map((text): Misbehaving => ({ what: text, code: main(`${text};`), error: CodeError, pattern: /Error: / })),
  { what: 'nothing thrown', code: main('throw undefined;'), error: CodeError, pattern: /the code threw undefined/ },
];

/** Code that calls `import()`. Its promise stays inside the sandbox, so `main` returns "nothing". */
export const importing =
  'let said = "nothing";\nexport function main() {\n  import("fs").then(() => { said = "came"; }, () => { said = "refused"; });\n  return { values: said };\n}\n';

/** Returns true if the sandbox still computes a small sum. */
export async function stillWorks(sandbox: Sandbox): Promise<boolean> {
  const code = 'export const main = ({ a }) => ({ arrays: { twice: a.map((x) => 2 * x) }, values: a.length });';
  const { arrays, values } = await sandbox.call({
    code,
    file: 'sum.js',
    arrays: { a: Float64Array.of(1, 2.5, -0) },
    values: null,
  });
  return values === 3 && [2, 5, -0].every((x, i) => Object.is(arrays.twice[i], x));
}
