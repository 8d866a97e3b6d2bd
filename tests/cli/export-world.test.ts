// The folder of an exported world has what OpenEnv's validator requires of a folder (its _validation.py, 0.10.0), and
// the files that its Dockerfile copies.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverFiles, serverPackages } from '../../src/cli/world-folder/server-files.ts';
import { worldFolderTexts } from '../../src/cli/world-folder/text.ts';

const facts = {
  name: 'tea_shop',
  title: 'Tea "shop"',
  tasks: { train: 240, test: 60 },
  packages: serverPackages('.'),
};

describe('an exported world', () => {
  it('for OpenEnv has an entry point, a callable main, the dependency and a lock', () => {
    const texts = worldFolderTexts(facts, 'openenv');
    expect(texts['pyproject.toml']).toMatch(/\[project\.scripts\]\nserver = "tea_shop\.server\.app:main"/);
    expect(texts['pyproject.toml']).toMatch(/dependencies = \["openenv>=/);
    expect(texts['pyproject.toml']).toContain('description = "Tea \\"shop\\""');
    expect(texts['server/app.py']).toContain('def main(');
    expect(texts['server/app.py']).toMatch(/if __name__ == "__main__":\n {4}main\(\)/);
    expect(texts['uv.lock']).toMatch(/^version = 1/);
    expect(texts['openenv.yaml']).toMatch(/^spec_version: 1\nname: tea_shop$/m);
    expect(texts['openenv.yaml']).toMatch(/^validation:\n {2}reward:\n {4}range: \[0\.0, 1\.0\]$/m);
  });

  it.each(['openenv', 'agentgym'] as const)('for %s copies and starts what is there', (target) => {
    const texts = worldFolderTexts(facts, target);
    const copied = [...texts.Dockerfile.matchAll(/^COPY (\S+) /gm)].map(([, path]) => path);
    expect(copied).toEqual(['package.json', 'world.js', 'build']);
    const [, port] = /^EXPOSE (\d+)$/m.exec(texts.Dockerfile)!;
    expect(texts.Dockerfile).toContain(`"--host", "0.0.0.0", "--port", "${port}"`);
    expect(JSON.parse(texts['package.json']).dependencies).toEqual(facts.packages);
    expect(Object.values(facts.packages)).toEqual(Object.values(facts.packages).filter((each) => /^\d/.test(each)));
    expect(texts['README.md']).not.toMatch(/\b(TITLE|PACKAGE|TASKS|LAST_TRAIN)\b/);
    expect(texts['README.md']).toContain(port);
  });

  it('has the numbers of its tasks for AgentGym', () => {
    expect(worldFolderTexts(facts, 'agentgym')['README.md']).toContain('`data_idx` 0 to 239 are tasks of training');
  });

  it('has the chunks that its server imports, and no others', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tabgym-export-'));
    try {
      mkdirSync(join(folder, 'assets'));
      const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
      write('world-server.js', 'import { a } from "./assets/a.js";\nconst text = "from \'./assets/none.js\'";');
      write('world-worker.js', 'await import("./assets/b.js");');
      write('assets/a.js', 'import "./b.js";\nimport fastify from "fastify";');
      write('assets/b.js', 'import "../world-worker.js";');
      write('assets/c.js', '');
      expect(Object.keys(serverFiles(folder)).sort()).toEqual([
        'assets/a.js',
        'assets/b.js',
        'world-server.js',
        'world-worker.js',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
