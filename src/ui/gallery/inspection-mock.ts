/**
 * Made-up effect of a step: each log-probability moves by a tenth of the token's advantage, each layer by about a
 * hundredth of its norm.
 */
import { alternativesAt } from '../../rl/alternatives.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepInspection, TokenAlternative } from '../../session/protocol.ts';
import { mockStep } from './mock-data.ts';

const parts = [
  'self_attn.q_proj',
  'self_attn.k_proj',
  'self_attn.v_proj',
  'self_attn.o_proj',
  'mlp.gate_proj',
  'mlp.up_proj',
  'mlp.down_proj',
];

export function mockInspection(step: number, repeat: number): StepInspection {
  const episodes = mockStep(step, repeat).map(({ group, member, advantages, choices, logprob }) => {
    const before = Float32Array.from(choices!.position, (position) => logprob[position]);
    const after = before.map((value, row) => Math.min(-0.001, value + 0.1 * advantages[row]));
    const weight = advantages.map((advantage) => -advantage / (64 * advantages.length));
    const weightAfter = weight.map((value, row) => value * Math.exp(after[row] - before[row]));
    return {
      group,
      member,
      before,
      after,
      weight,
      weightAfter,
      clipped: new Int8Array(before.length),
      advantage: advantages,
      columns: {},
    };
  });
  const totalWeight = episodes.reduce(
    (sum, { weight }) => sum + weight.reduce((own, each) => own + Math.abs(each), 0),
    0,
  );
  const layers = [0, 1].flatMap((layer) =>
    parts.map((name, k) => ({ name, layer, count: 4096, norm: 12 + k, change: 0.1 + 0.02 * k + 0.05 * layer })),
  );
  return {
    step,
    episodes,
    totalWeight,
    weights: [{ name: 'embed_tokens', layer: null, count: 20_480, norm: 30, change: 0.2 }, ...layers],
  };
}

/** Made-up alternatives: the sampled token gains a tenth of its probability's distance to one. */
export function mockAlternatives(trajectory: Trajectory, position: number): TokenAlternative[] | null {
  const tokens = alternativesAt(trajectory, position);
  if (!tokens.length) return null;
  const taken = tokens.indexOf(trajectory.tokens[position]);
  const was = tokens.length === 1 ? 1 : Math.exp(trajectory.logprob[position]);
  const shares = (p: number) => tokens.map((_, k) => (k === taken ? p : (1 - p) / Math.max(1, tokens.length - 1)));
  const [before, after] = [shares(was), shares(was + 0.1 * (1 - was))];
  return tokens.map((token, k) => ({ token, before: before[k], after: after[k] }));
}
