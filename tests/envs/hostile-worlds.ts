// Hostile worlds: each with the words that name what it did.
const opening = `export const tasks = (seed) => [{ n: seed }, { n: 2 }, { n: 3 }];
export const validActions = () => ['go'];
export const reset = () => 'begin';
`;
const stepping = (body: string) => `${opening}export function step(action) {\n  ${body}\n}\n`;

/** Worlds whose first step fails, with the failure of that episode. */
export const failingSteps: readonly [name: string, code: string, failure: RegExp][] = [
  ['an endless loop', stepping('for (;;) {}'), /world\.js, near line 4: step\(\): .*10,000,000 loop passes/],
  ['endless recursion', stepping('const f = () => f() + 1; f();'), /world\.js, line 5.*step\(\): .*(stack|recursion)/i],
  ['a slow expression', stepping("/^(a+)+$/.test('a'.repeat(40) + 'b');"), /world\.js.*step\(\): /],
  ['a large array', stepping('new ArrayBuffer(4e9);'), /world\.js.*step\(\): /],
  [
    'growing memory',
    stepping("const all = []; for (;;) all.push('x'.repeat(1e6) + all.length);"),
    /world\.js.*step\(\): .*32 MB/,
  ],
  [
    'a text of megabytes',
    stepping("return { text: 'x'.repeat(3e6) };"),
    /line 4: step\(\): the text of step\(\) has 3000000 characters; at most 20000/,
  ],
  [
    'a throwing getter',
    stepping("return { get text() { throw new Error('hidden'); } };"),
    /line 5.*step\(\): Error: hidden/,
  ],
  ['a reward of NaN', stepping("return { text: 'a', reward: 0 / 0 };"), /line 4: step\(\): the reward is NaN/],
  ['an infinite reward', stepping("return { text: 'a', reward: 1 / 0 };"), /line 4: step\(\): the reward is Infinity/],
  ['a reward of text', stepping("return { text: 'a', reward: '1' };"), /line 4: step\(\): the reward must be a number/],
  ['no answer', stepping('return undefined;'), /line 4: step\(\): step\(\) must return \{ text, reward, done \}/],
  ['a thrown null', stepping('throw null;'), /world\.js.*step\(\): /],
  ['a thrown proxy', stepping('throw new Proxy({}, { get() { for (;;) {} } });'), /world\.js.*step\(\): /],
  ['another toJSON', stepping('Array.prototype.toJSON = () => 1;'), /line 5.*step\(\): TypeError/],
  ['other prototypes', stepping("Object.prototype.text = 'leak';"), /line 5.*step\(\): TypeError/],
  ['another built-in', stepping('Object.prototype.toString = null;'), /step\(\): .*toString cannot be replaced/],
  ['another JSON', stepping("JSON.stringify = () => '[1]';"), /line 5.*step\(\): TypeError/],
  ['another random', stepping('Math.random = () => 1;'), /line 5.*step\(\): TypeError/],
  ['a global for the next episode', stepping('globalThis.leak = 1;'), /line 5.*step\(\): TypeError/],
  ['random numbers of the clock', stepping('return { text: String(new Date()) };'), /line 5.*step\(\): ReferenceError/],
  ['the network', stepping("return { text: String(fetch('/')) };"), /line 5.*step\(\): ReferenceError/],
  ['a module of elsewhere', stepping("return { text: String(require('fs')) };"), /line 5.*step\(\): ReferenceError/],
];

/** Worlds that are refused when their tasks are listed. */
export const refusedWorlds: readonly [name: string, code: string, message: RegExp][] = [
  ['a syntax error', 'export function tasks( {', /world\.js, line 1/],
  ['no functions', 'export const nothing = 1;', /tasks\(\): there is no such function/],
  ['no tasks', 'export const tasks = () => [];', /line 1: tasks\(\) returned no task/],
  ['a task that is none', 'export const tasks = () => ({});', /line 1: tasks\(\) must return a list/],
  [
    'a million tasks',
    'export const tasks = () => Array(1e6).fill(1);',
    /tasks\(\) returned 1000000 tasks; at most 10000/,
  ],
  ['a huge task', "export const tasks = () => ['x'.repeat(5000)];", /Task 0 has 5002 characters/],
  ['a cyclic task', 'export const tasks = () => { const a = []; a[0] = a; return a; };', /tasks\(\): .*circular/],
  ['an endless module', 'for (;;) {}', /loop passes/],
  ['an endless list', 'export const tasks = () => { for (;;) {} };', /tasks\(\): .*loop passes/],
  ['exports elsewhere', 'const tasks = () => [1]; export { tasks };', /the export "tasks" is not read/],
  ['an export by default', 'export default { tasks: () => [1] };', /the export "default" is not read/],
  ['an endless wait', 'await new Promise(() => {});', /top-level await/],
];

/** Worlds that try to reach out; their step succeeds, and nothing else changes. */
export const harmlessTricks: readonly [name: string, code: string][] = [
  [
    'its own toString',
    stepping("const a = {}; a.toString = () => 'ok'; a.constructor = 1; return { text: String(a) };"),
  ],
  ['a constructor', stepping("try { step.constructor('return process')().exit(1); } catch {} return { text: 'ok' };")],
];
