// Runs code of an objective or of a reward in a Node `vm` context: the same language and fast, but no security boundary. The sandbox itself
// has tests of its own.
import { createContext, runInContext } from 'node:vm';
import type { CodeRunner } from '../../src/rl/common/code-runner.ts';

export const inRealm: CodeRunner = {
  async call({ prelude: first = '', code, arrays, values }) {
    const realm = createContext({});
    const run = runInContext(first, realm);
    const own = (name: string) => `${name}: typeof ${name} === 'undefined' ? undefined : ${name}`;
    const text = `${code.replace(/export (?=(async )?function)/g, '')}; ({ ${own('objective')}, ${own('reward')} })`;
    return run(runInContext(text, realm), arrays, values);
  },
};
