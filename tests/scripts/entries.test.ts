// The gate of the entries: values from behind them are found in every form of import; types, kinds and open modules are not.
import { expect, it } from 'vitest';
import { bypasses, findBypasses } from '../../scripts/entries.mjs';

const around = (source: string) => bypasses(source, 'src/cli/deep/tool.ts');

it('finds values from the rooms behind the entries, in every form of import', () => {
  expect(around("import { openRun } from '../../session/run/open.ts';")).toEqual(['src/session/run/open.ts']);
  expect(around("import { type A, b } from '../../store/bundle.ts';")).toEqual(['src/store/bundle.ts']);
  expect(around("import * as all from '../../policy/a.ts'; import '../../server/b.ts';")).toEqual([
    'src/policy/a.ts',
    'src/server/b.ts',
  ]);
  expect(around("export { a } from '../../models/a.ts'; export * from '../../device/b.ts';")).toEqual([
    'src/device/b.ts',
    'src/models/a.ts',
  ]);
  expect(around("const a = await import('../../session/a.ts');")).toEqual(['src/session/a.ts']);
  expect(around("new Worker(new URL('../../workers/a.ts', import.meta.url));")).toEqual(['src/workers/a.ts']);
  expect(around("import { openWorld } from '../../worlds/registry.ts';")).toEqual(['src/worlds/registry.ts']);
});

it('allows types, the entries, fields and the modules of kinds', () => {
  const source = `
    import type { A } from '../../session/a.ts';
    import { type B, type C } from '../../store/b.ts';
    export type { D } from '../../server/d.ts';
    import { createRun } from '../../library/index.ts';
    import { parseExperiment } from '../../experiment/experiment.ts';
    import { worldModule } from '../../worlds/registry.ts';
    import { Command } from 'commander';`;
  expect(around(source)).toEqual([]);
});

it('leaves formats, names and threads in those rooms open to all', () => {
  const source = `
    import { trajectoryFormats } from '../../trajectories/files/registry.ts';
    import { zip } from '../../store/zip.ts';
    import { listedModel } from '../../models/names.ts';
    new Worker(new URL('../../workers/reader-worker.ts', import.meta.url));`;
  expect(around(source)).toEqual([]);
  expect(around("import { spawnWorldWorker } from '../../workers/spawn-world.ts';")).toEqual([
    'src/workers/spawn-world.ts',
  ]);
});

it('finds no import around the library, and no open module that nothing uses', () => {
  expect(findBypasses()).toEqual({ found: {}, unused: [] });
});
