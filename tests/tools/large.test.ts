// `npm run test:large` at a small size: the same code path with a narrow model, in bindings small enough to split its
// vocabulary.
import { expect, it } from 'vitest';
import { playLarge } from '../../tools/large/play.ts';

it('loads a model piece by piece into packed weights, plays and takes a step within its plan', {
  tags: 'slow',
}, async () => {
  const lines: string[] = [];
  const { bytes, gap } = await playLarge({
    model: 'qwen2.5-0.5b',
    overrides: { layers: 1, hidden: 64, intermediate: 96, heads: 4, kvHeads: 2, headDim: 16, vocab: 3000 },
    precision: 'int4',
    rank: 4,
    groups: 2,
    groupSize: 2,
    promptTokens: 40,
    turns: 2,
    turnTokens: 3,
    mostBindingBytes: 16 << 20,
    print: (line) => lines.push(line),
  });
  expect(bytes).toBeGreaterThan(1e6);
  expect(gap).toBeLessThan(1e-4);
  expect(lines.some((line) => line.startsWith('one GRPO step'))).toBe(true);
});
