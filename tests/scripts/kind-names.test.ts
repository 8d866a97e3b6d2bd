import { describe, expect, it } from 'vitest';
import { findNames, offendersIn, problemsOf, registeredNames } from '../../scripts/kind-names.mjs';

const names = { world: ['textcraft', 'babyai'], policy: ['tiny', 'lora'], algorithm: ['grpo'] };
const found = (source: string) => findNames(source, names).map(({ name }) => name);

describe('names of kinds', () => {
  it.each([
    ["if (policy.kind === 'tiny') go();", ['tiny']],
    ["switch (world) { case 'textcraft': go(); }", ['textcraft']],
    ['const views = { babyai: grid };', ['babyai']],
    ["const views = { 'babyai': grid };", ['babyai']],
    ['const words = { tiny: 1, lora: 2 };', ['tiny', 'lora']],
    ["type Kind = 'tiny' | 'lora';", ['tiny', 'lora']],
    ['interface Views { textcraft: View }', ['textcraft']],
    ['views.textcraft();', ['textcraft']],
    ['const name = `grpo`;', ['grpo']],
    ['const v: { babyai?: View } = {};', ['babyai']],
  ])('%s', (source, expected) => {
    expect(found(source)).toEqual(expected);
  });

  it.each([
    "import { x } from 'textcraft';",
    "const label = 'TextCraft';",
    'const { rank } = policy.lora;',
    'const policy = { lora: { rank: 4 } };',
    "const format = 'tiny'; // not a kind: a format",
    "// not a kind: a format\nconst format = 'tiny';",
  ])('are not found in %s', (source) => {
    expect(found(source)).toEqual([]);
  });

  it('are allowed in their own module and in a registry, not in another file', () => {
    const files = (file: string, source: string) => offendersIn(file, source, names).map(({ name }) => name);
    expect(files('src/worlds/babyai/index.ts', "const name = 'babyai';")).toEqual([]);
    expect(files('src/worlds/babyai/index.ts', "const name = 'babyai'; const other = 'textcraft';")).toEqual([
      'textcraft',
    ]);
    expect(files('src/worlds/babyai/index.ts', "const name = 'babyai'; const policy = 'tiny';")).toEqual(['tiny']);
    expect(files('src/worlds/registry.ts', "const all = ['babyai', 'textcraft'];")).toEqual([]);
    expect(files('src/rl/trainer.ts', "const all = ['grpo'];")).toEqual(['grpo']);
  });

  it('more than the baseline is a problem, fewer is none', () => {
    const two = new Map([['src/a.ts', findNames("f('tiny', 'lora')", names)]]);
    expect(problemsOf(two, { 'src/a.ts': 2 })).toEqual([]);
    expect(problemsOf(two, { 'src/a.ts': 1 })).toEqual([
      "src/a.ts names kinds 2 times, 1 allowed: 'tiny' (line 1), 'lora' (line 1)",
    ]);
    expect(problemsOf(two, {})).toHaveLength(1);
  });

  it('are read from the registries', async () => {
    const { world, policy, algorithm } = await registeredNames();
    expect(world).toContain('textcraft');
    expect(policy).toContain('tiny');
    expect(algorithm).toContain('grpo');
  });
});
