import { expect, it } from 'vitest';
import { decodeTrajectories, encodeTrajectories } from '../../src/session/trajectory-codec.ts';
import { trajectory } from './fakes.ts';

it('gives back what went in, bit for bit', () => {
  const list = [
    trajectory(),
    trajectory({ choices: null, turns: [], ending: 'world-failure', oracleTurns: null, advantage: -0 }),
    trajectory({
      logprob: Float32Array.from({ length: 7 }, (_, i) => Math.fround(-Math.PI * i)),
      prompt: 'ünï \u{1F600}',
    }),
  ];
  expect(decodeTrajectories(encodeTrajectories(list))).toEqual(list);
  expect(decodeTrajectories(encodeTrajectories([]))).toEqual([]);
});

it('keeps token ids that need more than two bytes', () => {
  const tokens = Int32Array.of(151_643, 1, 2, 3, 4, 5, 6);
  expect(decodeTrajectories(encodeTrajectories([trajectory({ tokens })]))[0].tokens).toEqual(tokens);
});

it('is much smaller than JSON', () => {
  const list = Array.from({ length: 64 }, (_, member) => trajectory({ member }));
  expect(encodeTrajectories(list).length).toBeLessThan(JSON.stringify(list).length / 10);
});

it('refuses bytes that are cut or foreign', () => {
  const bytes = encodeTrajectories([trajectory()]);
  for (let cut = 0; cut < bytes.length; cut += 20)
    expect(() => decodeTrajectories(bytes.slice(0, cut))).toThrow(/stored trajectories|not trajectories/i);
  expect(() => decodeTrajectories(Uint8Array.of(3, 0))).toThrow(/end too early/);
});
