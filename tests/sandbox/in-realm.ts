// Runs objective code in a Node `vm` context: the same language and fast, but no security boundary. The sandbox itself
// has tests of its own.
import { createContext, runInContext } from 'node:vm';
import type { CodeRunner } from '../../src/rl/objective-code/code.ts';

export const inRealm: CodeRunner = {
  async call({ prelude: first = '', code, arrays, values }) {
    const realm = createContext({});
    const run = runInContext(first, realm);
    const objective = runInContext(`${code.replace(/export function/g, 'function')}; objective`, realm);
    return run({ objective }, arrays, values);
  },
};
