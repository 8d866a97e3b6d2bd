import { describe, expect, it } from 'vitest';
import { readLayers, wrongDirections } from '../../scripts/cycles.mjs';

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
  ])('%s may import %s', (file, id) => {
    expect(imports(file, id)).toEqual([]);
  });

  it.each([
    ['src/rl/trainer.ts', 'src/device/webgpu/device.ts', 'src/rl may not know src/device'],
    ['src/policy/engine/model.ts', 'src/rl/trainer.ts', 'src/policy may not know src/rl'],
    ['src/store/run.ts', 'src/session/run/session.ts', 'src/store may not know src/session'],
    ['src/session/run/session.ts', 'src/ui/app/app.ts', 'src/session may not know src/ui'],
    ['src/envs/env.ts', 'src/policy/policy.ts', 'src/envs may not know src/policy'],
    ['src/ui/app/app.ts', 'src/store/run.ts', 'src/ui may not know src/store'],
    ['src/session/run/session.ts', 'tools/golden/model.ts', 'src/session may not know tools'],
    ['envs-wasm/babyai/text.ts', 'envs-wasm/sciworld/text.ts', 'envs-wasm/babyai may not know envs-wasm/sciworld'],
  ])('%s may not import %s', (file, id, why) => {
    expect(imports(file, id)).toEqual([`${file} imports ${id}: ${why}`]);
  });

  it('has a row for every folder', () => {
    expect(imports('src/other/x.ts', 'src/other/y.ts')[0]).toMatch(/no layer owns/);
  });

  it('is read from the table of the README', () => {
    const readme =
      '## What may import what\n\nText.\n\n| `a`, `b` | `c`, `d/*` |\n| `e` | nothing |\n\n## Next\n| `f` | `a` |\n';
    expect(readLayers(readme)).toEqual({ a: ['c', 'd/*'], b: ['c', 'd/*'], e: [] });
  });
});
