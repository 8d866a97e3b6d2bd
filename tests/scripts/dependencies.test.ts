/** docs/dependencies.md has a reason for each dependency, and names the package's own as its manifest does. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = [...readFileSync('docs/dependencies.md', 'utf8').matchAll(/^\| `(.+?)` \| (.+?) \| (.+) \|$/gm)];

test('every dependency has a reason', () => {
  const { dependencies, peerDependencies, peerDependenciesMeta, devDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  expect(rows.map(([, name]) => name)).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).toSorted());
  // The optional peers are installed for development, in the same versions.
  for (const [name, version] of Object.entries(peerDependencies)) {
    expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(devDependencies[name]).toBe(version);
  }
});

test("the package's dependencies are named as such", () => {
  const source = readFileSync('scripts/build-package.mjs', 'utf8');
  const listed = (name: string) =>
    [...new RegExp(`const ${name} = \\[([^\\]]*)\\]`).exec(source)![1].matchAll(/'(.+?)'/g)].map(([, each]) => each);
  const having = (kind: string) => rows.filter(([, , how]) => how === kind).map(([, name]) => name);
  expect(having('needed').toSorted()).toEqual(listed('needed').toSorted());
  expect(having('peer').toSorted()).toEqual(listed('optional').toSorted());
});
