// The registry and its modules: light, complete, and consistent with their folders.
import { existsSync } from 'node:fs';
import { parseDependencyTree } from 'dpdm';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../scripts/build-wasm.mjs';
import type { ViewKind } from '../../src/ui/kit/view-kind.ts';
import { openWorld, worldModule, worldModules } from '../../src/worlds/registry.ts';
import * as views from '../../src/worlds/views.ts';

beforeAll(() => buildWasm());

/** Entries of the page, the trainer and the worker of a world. */
const entries = ['src/ui/app/app.ts', 'src/workers/library-worker.ts', 'src/workers/world-worker.ts'];

/** Folder of a world: its own, or its family's (`agentgym-babyai` is in `agentgym/`). */
const folderOf = (name: string) => (existsSync(`src/worlds/${name}`) ? name : name.split('-')[0]);

it('loads no world’s own code with page, trainer or worker: it is loaded when the world is opened', async () => {
  const tree = await parseDependencyTree(entries, {
    context: process.cwd(),
    extensions: ['.ts'],
    skipDynamicImports: true,
  });
  const files = Object.keys(tree);
  expect(files).toEqual(expect.arrayContaining(entries));
  for (const name of new Set(worldModules.map(({ name }) => folderOf(name)))) {
    expect(files).toContain(`src/worlds/${name}/index.ts`);
    const own = files.filter((file) => file.startsWith(`src/worlds/${name}/`));
    expect(
      own.filter((file) => /\/(world|wasm|simulator|oracle|naming|scene|grid)\.ts$|\/view\/element\.ts$/.test(file)),
    ).toEqual([]);
  }
});

describe.each(worldModules.map((module) => [module.title, module] as const))('%s', (_, module) => {
  it('has the folder and the kind of its name', () => {
    expect(existsSync(`src/worlds/${folderOf(module.name)}/index.ts`)).toBe(true);
    expect(module.name).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(worldModules.filter(({ name }) => name === module.name)).toHaveLength(1);
    expect(worldModule(module.name)).toBe(module);
  });

  it('has its texts, and needs no options', () => {
    for (const text of [module.title, module.summary, module.credit]) expect(text).toMatch(/^[A-Z].*/);
    expect(module.summary).toMatch(/\.$/);
    const filled = module.options({});
    expect(module.options(filled as never)).toEqual(filled);
  });

  it('opens with the declared facts: its tasks, its oracle, its actions, its view', async () => {
    if (module.connection.kind !== 'wasm') return;
    const world = await openWorld(module.name);
    expect(module).toMatchObject(world.describe());
    const tasks = await world.tasks({}, 'train');
    expect(tasks.length).toBeGreaterThan(0);
    const [feedback] = await world.reset([0], [tasks[0]]);
    expect(tasks[0].world).toBe(module.name);
    if (module.hasValidActions) expect(feedback.validActions?.length).toBeGreaterThan(0);
    if (module.hasOracle) expect((await world.oracle([0]))[0]?.length).toBeGreaterThan(0);
    const view = await world.view(0);
    expect(view.kind).toBe(module.view);
    expect(view.text).not.toBe('');
    if (view.kind !== 'text') expect(Object.values<ViewKind>(views).map(({ kind }) => kind)).toContain(view.kind);
    await world.close();
  });
});

it('lists the worlds for an unknown name', () => {
  expect(() => worldModule('chess')).toThrow(/no world named "chess".*textcraft/);
});
