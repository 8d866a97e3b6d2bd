/** The check that paths in comments and docs exist. */
import { expect, it } from 'vitest';
import { deadPaths } from '../../scripts/paths.mjs';

const files = new Set(['src/rl/trainer.ts', 'docs/page.md', 'src/rl/common/numbers.ts']);
const names = new Set(['trainer.ts', 'numbers.ts', 'page.md']);
const dead = (file: string, source: string) => deadPaths(file, source, (path: string) => files.has(path), names);

it('finds a dead path in a comment with its line', () => {
  expect(dead('src/rl/updater.ts', "import a from './gone.ts';\n// See rl/gone.ts.\n")).toEqual([
    { path: 'rl/gone.ts', line: 2 },
  ]);
  expect(dead('docs/page.md', 'one\n\nThe file `src/rl/gone.ts`.')).toEqual([{ path: 'src/rl/gone.ts', line: 3 }]);
  expect(dead('src/rl/updater.ts', '/** From gone.ts. */')).toEqual([{ path: 'gone.ts', line: 1 }]);
});

it('accepts paths from the root, from src/ and beside the file, and names of files', () => {
  const source = '// rl/trainer.ts, src/rl/trainer.ts, common/numbers.ts, trainer.ts, docs/page.md';
  expect(dead('src/rl/updater.ts', source)).toEqual([]);
});

it('passes over code, addresses, placeholders and files of a build', () => {
  expect(
    dead(
      'src/rl/a.ts',
      "const file = 'gone.ts';\n// https://example.org/gone.ts, src/worlds/NAME/world.ts, build/x.mjs",
    ),
  ).toEqual([]);
  expect(dead('docs/page.md', '```ts\n// src/gone.ts\n```\n')).toEqual([]);
});
