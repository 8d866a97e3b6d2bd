/** The library's entry refuses an experiment with a typed world unless the caller allows its code. */
import { expect, test } from 'vitest';
import { createRun, NotAllowedError, preset, presetNames } from '../../src/library/index.ts';

test("an experiment with code needs the caller's permission", async () => {
  const typed = { name: 'own-world', options: { code: 'export const world = 1;' } };
  await expect(createRun({ ...preset('own-first'), worlds: [typed] }, { device: 'wasm', threads: 1 })).rejects.toThrow(
    NotAllowedError,
  );
  expect(presetNames).toContain('own-first');
});
