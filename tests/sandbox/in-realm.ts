// Text in a realm of Node: no boundary, but quick, and the same language. What the sandbox itself does is tested in it.
import { createContext, runInContext } from 'node:vm';
import type { CodeRunner } from '../../src/rl/objective/code.ts';

export const inRealm: CodeRunner = {
  async call({ prelude: first = '', code, arrays, values }) {
    const realm = createContext({});
    const run = runInContext(first, realm);
    const objective = runInContext(`${code.replace(/export function/g, 'function')}; objective`, realm);
    return run({ objective }, arrays, values);
  },
};
