/** The report of the API (docs/api) names what the entries export; `npm run api -- --check` compares every type. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const entries = {
  index: () => import('../../src/library/index.ts'),
  worlds: () => import('../../src/library/worlds.ts'),
  policy: () => import('../../src/library/policy.ts'),
  server: () => import('../../src/library/server.ts'),
  files: () => import('../../src/library/files.ts'),
  element: () => import('../../src/library/element.ts'),
};

test.each(Object.entries(entries))('%s', async (name, load) => {
  const report = readFileSync(`docs/api/${name}.d.ts`, 'utf8');
  const [, listed] = /\nexport \{ (.*) \};\n$/.exec(report)!;
  const names = listed.split(', ');
  // A class that callers only receive is reported as a type.
  const values = [...report.matchAll(/^declare (?:const|function) (\w+)/gm)].map(([, value]) => value);
  const exported = Object.keys(await load());
  expect(exported.filter((each) => !names.includes(each))).toEqual([]);
  expect(values.filter((each) => names.includes(each) && !exported.includes(each))).toEqual([]);
});
