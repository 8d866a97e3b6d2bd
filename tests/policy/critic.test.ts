// The value head: it learns linear functions of the hidden states, and is saved completely.
import { describe, expect, it } from 'vitest';
import { Critic, loadNotes, saveNotes } from '../../src/policy/engine/critic.ts';
import { parametersOf } from '../../src/policy/moments.ts';
import type { TensorMap } from '../../src/policy/policy.ts';
import { uniform } from '../../src/rl/common/random.ts';

const C = 5;
const N = 40;
const hidden = Float32Array.from({ length: N * C }, (_, i) => 2 * uniform(1, i) - 1);
const target = Float64Array.from({ length: N }, (_, n) => 0.5 + hidden[n * C] - 2 * hidden[n * C + 3]);
const lossOf = (critic: Critic) =>
  critic.values(hidden).reduce((sum, value, n) => sum + 0.5 * (value - target[n]) ** 2, 0) / N;

function step(critic: Critic, learningRate: number) {
  const values = critic.values(hidden);
  critic.accumulate(
    hidden,
    Float64Array.from(values, (value, n) => (value - target[n]) / N),
  );
  critic.apply(learningRate);
}

const saved = (critic: Critic): TensorMap => {
  const tensors: TensorMap = new Map([['w', { shape: [1], data: new Float32Array(1) }]]);
  critic.save(tensors);
  return tensors;
};

describe('the value head', () => {
  it('is 0 before it learns, and is then not saved', () => {
    const critic = new Critic(C);
    expect(critic.values(hidden).every((value) => value === 0)).toBe(true);
    expect([...saved(critic).keys()]).toEqual(['w']);
  });

  it('learns linear functions of the hidden states', () => {
    const critic = new Critic(C);
    const before = lossOf(critic);
    for (let k = 0; k < 400; k++) step(critic, 0.02);
    expect(lossOf(critic)).toBeLessThan(before / 1000);
  });

  it('resumes exactly from a saved state, and is not part of the policy', () => {
    const [one, other] = [new Critic(C), new Critic(C)];
    for (let k = 0; k < 3; k++) step(one, 0.05);
    const tensors = saved(one);
    expect([...parametersOf(tensors).keys()]).toEqual(['w']);
    other.load(tensors);
    for (const critic of [one, other]) step(critic, 0.05);
    expect([...other.values(hidden)]).toEqual([...one.values(hidden)]);
    other.load(new Map());
    expect(other.values(hidden).every((value) => value === 0)).toBe(true);
  });
});

it('notes are saved beside it, and loading drops the others', () => {
  const tensors: TensorMap = new Map();
  saveNotes(new Map([['klPrice', 0.125]]), tensors);
  const notes = new Map([['older', 1]]);
  loadNotes(notes, tensors);
  expect([...notes]).toEqual([['klPrice', 0.125]]);
  expect(parametersOf(tensors).size).toBe(0);
});
