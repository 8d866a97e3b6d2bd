// A world is taken out of a checkout by deleting files and lines only.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  importsOf,
  isNamedAfter,
  namesWorld,
  removeWorld,
  testsNaming,
  withoutListLines,
} from '../../tools/try-removing/remove.mjs';

describe('try-removing', () => {
  it('finds the files named after a world', () => {
    for (const file of [
      'tests/envs/web.test.ts',
      'tools/fuzz/play-web.ts',
      'tests/envs/web/frame.ts',
      'bench/web-pages.ts',
    ])
      expect([file, isNamedAfter(file, 'web')]).toEqual([file, true]);
    for (const file of ['tests/proxies/webarena.test.ts', 'tests/page/one-build.ts'])
      expect([file, isNamedAfter(file, 'web')]).toEqual([file, false]);
    expect(isNamedAfter('tests/envs/own-world-limits.test.ts', 'own-world')).toBe(true);
    const ofTools = ['tests/envs/tools/forms.test.ts', 'bench/tools.ts', 'tools/fuzz/tools.ts', 'docs/worlds/tools.md'];
    for (const file of ofTools) expect([file, isNamedAfter(file, 'tools')]).toEqual([file, true]);
    for (const file of ['tools/isa/main.ts', 'tests/tools/isa.test.ts', 'tests/policy/chat-template-tools.test.ts'])
      expect([file, isNamedAfter(file, 'tools')]).toEqual([file, false]);
  });

  it('finds the documents that name a world, a family included', () => {
    expect(namesWorld({ worlds: [{ name: 'coins' }] }, 'coins')).toBe(true);
    expect(namesWorld({ stages: [{ worlds: [{ name: 'coins-two' }] }] }, 'coins')).toBe(true);
    expect(namesWorld({ world: 'coins' }, 'coins')).toBe(true);
    expect(namesWorld({ worlds: [{ name: 'dice' }] }, 'coins')).toBe(false);
  });

  it('resolves imports from the root of the checkout', () => {
    expect(importsOf('src/a/b.ts', "import { x } from '../c/d.ts';\nconst y = () => import('./e.ts');")).toEqual([
      'src/c/d.ts',
      'src/a/e.ts',
    ]);
    expect(importsOf('tests/a.ts', "new Worker(new URL('./worker.ts', import.meta.url))")).toEqual(['tests/worker.ts']);
  });

  it('removes folders, documents, an agent with its folder, tests, and a line of each list', () => {
    const root = mkdtempSync(join(tmpdir(), 'tabgym-removal-'));
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    };
    const coins = JSON.stringify({ world: 'coins', worlds: [{ name: 'coins' }] });
    write('src/worlds/coins/index.ts', 'export const coins = {};');
    write('src/worlds/dice/index.ts', 'export const dice = {};');
    write(
      'src/worlds/worlds.ts',
      "export { coins } from './coins/index.ts';\nexport { dice } from './dice/index.ts';\n",
    );
    write('experiments/coins-first.json', coins);
    write('public/agents/coins-first/agent.json', coins);
    write('public/agents/index.json', JSON.stringify({ agents: [{ world: 'coins' }, { world: 'dice' }] }));
    write('tests/envs/coins.test.ts', '');
    write('vite.cli.config.ts', '');
    expect(removeWorld(root, 'coins')).toEqual({
      removed: [
        'experiments/coins-first.json',
        'public/agents/coins-first/agent.json',
        'src/worlds/coins/index.ts',
        'tests/envs/coins.test.ts',
      ],
      changed: ['src/worlds/worlds.ts'],
    });
    expect(readFileSync(join(root, 'src/worlds/worlds.ts'), 'utf8')).toBe("export { dice } from './dice/index.ts';\n");
    expect(JSON.parse(readFileSync(join(root, 'public/agents/index.json'), 'utf8')).agents).toEqual([
      { world: 'dice' },
    ]);
    for (const folder of ['src/worlds/coins', 'public/agents/coins-first', 'experiments'])
      expect([folder, existsSync(join(root, folder))]).toEqual([folder, false]);
    rmSync(root, { recursive: true });
  });

  it('finds the tests that name a world, themselves or in a helper', () => {
    const root = mkdtempSync(join(tmpdir(), 'tabgym-naming-'));
    mkdirSync(join(root, 'tests'));
    const write = (name: string, text: string) => writeFileSync(join(root, 'tests', name), text);
    write('a.test.ts', "open('coins');");
    write('b.test.ts', "import { play } from './helper.ts';");
    write('helper.ts', "export const play = () => read('experiments/coins-first.json');");
    write('c.test.ts', "open('coinsurance'); // coins");
    expect(testsNaming(root, 'coins').sort()).toEqual(['tests/a.test.ts', 'tests/b.test.ts']);
    rmSync(root, { recursive: true });
  });

  it('takes a line out of each list, and leaves other uses to the type check', () => {
    const gone = new Set(['src/worlds/coins/index.ts', 'experiments/coins.json']);
    const worlds = "export { coins } from './coins/index.ts';\nexport { dice } from './dice/index.ts';\n";
    expect(withoutListLines('src/worlds/worlds.ts', worlds, gone)).toBe("export { dice } from './dice/index.ts';\n");
    const lastOne = "/** Worlds. */\nexport { coins } from './coins/index.ts';\n";
    expect(withoutListLines('src/worlds/worlds.ts', lastOne, gone)).toBe('/** Worlds. */\nexport {};\n');
    const presets =
      "import coins from '../../experiments/coins.json';\nexport const presets = [\n  coins,\n  dice,\n];\n";
    expect(withoutListLines('src/experiment/presets.ts', presets, gone)).toBe(
      'export const presets = [\n  dice,\n];\n',
    );
    const named =
      "import coins from '../../experiments/coins.json';\nexport const all = {\n  'coins-first': coins,\n  dice,\n};\n";
    expect(withoutListLines('src/experiment/presets.ts', named, gone)).toBe('export const all = {\n  dice,\n};\n');
    const used = "import coins from '../../experiments/coins.json';\nplay(coins);\n";
    expect(withoutListLines('src/experiment/presets.ts', used, gone)).toBe(used);
  });
});
