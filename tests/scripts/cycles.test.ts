import { describe, expect, it } from 'vitest';
import { findCircles, readLayers, wrongDirections } from '../../scripts/cycles.mjs';

const imports = (file: string, id: string) => wrongDirections({ [file]: [{ id }] });

describe('the direction of imports', () => {
  it.each([
    ['src/rl/trainer.ts', 'src/policy/policy.ts'],
    ['src/policy/engine/model.ts', 'src/device/webgpu/device.ts'],
    ['src/cli/train.ts', 'src/session/run/session.ts'],
    ['src/rl/trainer.ts', 'node_modules/lit/index.js'],
    ['envs-wasm/sciworld/goals.ts', 'envs-wasm/sciworld/arena.ts'],
    ['envs-wasm/babyai/text.ts', 'envs-wasm/shared/text.ts'],
    ['tools/golden/model.ts', 'src/policy/config.ts'],
    ['tests/page/format.test.ts', 'src/ui/kit/format.ts'],
    ['src/ui/stage/play.ts', 'src/ui/kit/format.ts'],
    ['src/ui/main.ts', 'src/ui/app/app.ts'],
    ['tools/fuzz/maze.ts', 'src/worlds/maze/world.ts'],
    ['src/worlds/registry.ts', 'src/worlds/maze/index.ts'],
    ['src/worlds/maze/view/element.ts', 'src/worlds/maze/view-data.ts'],
  ])('%s may import %s', (file, id) => {
    expect(imports(file, id)).toEqual([]);
  });

  it.each([
    ['src/rl/trainer.ts', 'src/device/webgpu/device.ts', 'src/rl may not import src/device'],
    ['src/policy/engine/model.ts', 'src/rl/trainer.ts', 'src/policy may not import src/rl'],
    ['src/store/run.ts', 'src/session/run/session.ts', 'src/store may not import src/session'],
    ['src/session/run/session.ts', 'src/ui/app/app.ts', 'src/session may not import src/ui'],
    ['src/envs/env.ts', 'src/policy/policy.ts', 'src/envs may not import src/policy'],
    ['src/ui/app/app.ts', 'src/store/run.ts', 'src/ui may not import src/store'],
    ['src/session/run/session.ts', 'tools/golden/model.ts', 'src/session may not import tools'],
    ['src/ui/kit/format.ts', 'src/experiment/knob.ts', 'src/ui/kit may not import src/experiment'],
    ['src/ui/kit/format.ts', 'src/ui/state/state.ts', 'src/ui/kit may not import src/ui'],
    ['src/ui/state/state.ts', 'src/ui/control/panel.ts', 'inside src/ui, state may not import control'],
    ['src/ui/app/app.ts', 'src/ui/main.ts', 'inside src/ui, app may not import .'],
    ['src/worlds/maze/world.ts', 'src/worlds/wordle/world.ts', 'src/worlds/maze may not import src/worlds/wordle'],
    ['src/rl/trainer.ts', 'src/worlds/maze/world.ts', 'src/rl may not import src/worlds/maze'],
    ['src/ui/app/app.ts', 'src/worlds/maze/index.ts', 'src/ui may not import src/worlds/maze'],
    [
      'src/worlds/maze/view/element.ts',
      'src/worlds/wordle/world.ts',
      'src/worlds/maze/view may not import src/worlds/wordle',
    ],
    ['src/worlds/maze/view/index.ts', 'src/ui/app/app.ts', 'src/worlds/maze/view may not import src/ui'],
    ['envs-wasm/babyai/text.ts', 'envs-wasm/sciworld/text.ts', 'envs-wasm/babyai may not import envs-wasm/sciworld'],
  ])('%s may not import %s', (file, id, why) => {
    expect(imports(file, id)).toEqual([`${file} imports ${id}: ${why}`]);
  });

  it('has a row for every folder', () => {
    expect(imports('src/other/x.ts', 'src/other/y.ts')[0]).toMatch(/no layer owns/);
  });

  it('requires a row for every room of a folder with an inner table', () => {
    const tables = { 'src/rl': { episode: [] } };
    const faults = wrongDirections({ 'src/rl/other/x.ts': [], 'src/rl/episode/y.ts': [] }, tables);
    expect(faults).toEqual(['src/rl/other/x.ts is in no room of src/rl: add other to the table of src/rl/README.md']);
  });

  it('is read from the table of the README', () => {
    const readme =
      '## What may import what\n\nText.\n\n| `a`, `b` | `c`, `d/*` |\n| `e` | nothing |\n\n## Next\n| `f` | `a` |\n';
    expect(readLayers(readme)).toEqual({ a: ['c', 'd/*'], b: ['c', 'd/*'], e: [] });
  });
});

describe('circles', () => {
  const tree = (kind: string) => ({
    'src/ui/a.ts': [{ id: 'src/ui/b.ts', issuer: 'src/ui/a.ts', kind }],
    'src/ui/b.ts': [{ id: 'src/ui/a.ts', issuer: 'src/ui/b.ts', kind: 'StaticImport' }],
  });

  it.each(['StaticImport', 'DynamicImport'])('are found by %s', (kind) => {
    expect(findCircles(tree(kind))).toEqual(['a circle: src/ui/a.ts -> src/ui/b.ts -> src/ui/a.ts']);
  });

  it('need a way back', () => {
    expect(findCircles({ ...tree('DynamicImport'), 'src/ui/b.ts': [] })).toEqual([]);
  });
});
