// The golden checks read every setting of a case: aggregation, TRL's fractions of clipped sequences, label smoothing.
// The expected numbers are laws (one mode computed by another) or AgentGym's own formula.
import { describe, expect, it } from 'vitest';
import type { CaseJson, LossCase } from '../../tools/golden/checker.ts';
import { checkLossCase } from '../../tools/golden/losses.ts';

type Rows = readonly (readonly number[])[];

const tensorOf = (rows: Rows) => ({
  shape: [rows.length, rows[0].length],
  data: Float64Array.from(rows.flat()),
});
const caseOf = (json: CaseJson, tensors: { [name: string]: Rows | number }): LossCase => ({
  name: 'fixture',
  json,
  tensors: new Map(
    Object.entries(tensors).map(([name, value]) => [
      name,
      typeof value === 'number' ? { shape: [], data: Float64Array.of(value) } : tensorOf(value),
    ]),
  ),
});

/** Quantities of a case that agree, that differ, and what was skipped. */
function checked(source: LossCase) {
  const found = { agree: [] as string[], differ: [] as string[], skipped: [] as string[] };
  checkLossCase(
    source,
    (_kind, _name, quantity, ok) => (ok ? found.agree : found.differ).push(quantity),
    (_kind, _name, why) => found.skipped.push(why),
  );
  return found;
}

const mask = [
  [1, 1, 1, 0],
  [1, 0, 0, 0],
];
const old = [
  [-1, -1.1, -0.9, 0],
  [-0.8, 0, 0, 0],
];
const fresh = [
  [-1.05, -1.0, -0.9, 0],
  [-0.7, 0, 0, 0],
];
const advantages = [
  [1, 1, 1, 0],
  [-1, 0, 0, 0],
];
const ratio = (b: number, t: number) => Math.exp(fresh[b][t] - old[b][t]);
/** Sum of -A r over each sequence; no ratio is beyond the bounds. */
const sums = [-(ratio(0, 0) + ratio(0, 1) + ratio(0, 2)), ratio(1, 0)];

describe('aggregation', () => {
  const setting = {
    rule: 'code',
    adv_ratio_target: 0,
    ratio_lower_start: 0.6,
    ratio_lower_max: 0.8,
    ratio_lower_step: 0.05,
    ratio_upper_start: 1.3,
    ratio_upper_max: 2,
    ratio_upper_step: 0.05,
    eps: 1e-8,
    clip_ratio_c: 3,
  };
  const bapo = (mode: string, loss: number) =>
    checked(
      caseOf(
        { algorithm: 'bapo', settings: { one: { ...setting, loss_agg_mode: mode } } },
        {
          'in.mask': mask,
          'in.logp_old': old,
          'in.logp_new': fresh,
          'in.advantages': advantages,
          'out.one.loss': loss,
        },
      ),
    );

  it.each([
    ['token-mean', (sums[0] + sums[1]) / 4],
    ['token-sum', sums[0] + sums[1]],
    ['seq-mean-token-sum', (sums[0] + sums[1]) / 2],
    ['seq-mean-token-mean', (sums[0] / 3 + sums[1]) / 2],
    ['seq-mean-token-sum-norm', (sums[0] + sums[1]) / 2 / 4],
  ])('%s is read from a setting of BAPO', (mode, loss) => {
    const { agree, differ } = bapo(mode, loss);
    expect(differ).toEqual([]);
    expect(agree).toContain('out.one.loss');
    expect(bapo(mode, loss * 1.1).differ).toEqual(['out.one.loss']);
  });

  it('refuses an unknown mode', () => {
    expect(bapo('seq-median', 0).differ).toEqual(['cannot be checked: aggregation seq-median is not implemented']);
  });

  it('is read for the value loss', () => {
    const values = [
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ];
    const rewards = [
      [0, 0, 1, 0],
      [1, 0, 0, 0],
    ];
    // Values are 0, so with gamma and lambda 1 every return is 1, and the value loss of a token is 1/2.
    const critic = (mode: string, loss: number) =>
      checked(
        caseOf(
          {
            algorithm: 'bi-level-gae',
            settings: { one: { gamma: 1, lam: 1, high_level_gamma: 1 } },
            cliprange_value: 0.5,
            loss_agg_mode: mode,
          },
          {
            'in.mask': mask,
            'in.token_level_rewards': rewards,
            'in.values_old': values,
            'in.vpreds': values,
            'out.one.value_loss': loss,
          },
        ),
      );
    expect(critic('token-mean', 0.5)).toMatchObject({ differ: [], agree: ['out.one.value_loss'] });
    expect(critic('token-sum', 2)).toMatchObject({ differ: [], agree: ['out.one.value_loss'] });
  });
});

describe('a setting that no check reads', () => {
  const modes = (extra: object) =>
    checked(caseOf({ modes: { one: { mode: 'token-sum', ...extra } } }, { 'in.mask': mask, 'in.loss_mat': mask }));

  it('is a failure by its path', () => {
    expect(modes({ temperature: 2 }).differ).toEqual(['the setting modes.one.temperature is not read']);
  });
  it('is not a remark, a result or an option that is off', () => {
    const rest = { note: 'two words', metrics: { kl: 1 }, worst_margin: 0.1, delta: null };
    expect(modes(rest).differ).toEqual([]);
  });
});

describe('TRL', () => {
  const grpo = (level: string, metrics: object) =>
    checked(
      caseOf(
        {
          num_generations: 2,
          variants: {
            one: {
              loss_type: 'grpo',
              beta: 0,
              epsilon_low: 0.05,
              epsilon_high: 0.04,
              delta: null,
              importance_sampling_level: level,
              scale_rewards: 'group',
              max_completion_length: 4,
              num_items_in_batch: 4,
              metrics,
            },
          },
        },
        {
          'in.mask': mask,
          'in.logp_old': old,
          // Ratios of the first sequence: 1.105, 1, 1; their geometric mean is 1.034. The second's is 0.905.
          'in.logp_new': [
            [-0.9, -1.1, -0.9, 0],
            [-0.9, 0, 0, 0],
          ],
          'in.rewards': [[1], [0]],
        },
      ),
    );
  const fractions = (low: number, high: number, lowMin: number, highMax: number) => ({
    'clip_ratio/low_mean': low,
    'clip_ratio/high_mean': high,
    'clip_ratio/region_mean': low + high,
    'clip_ratio/low_min': lowMin,
    'clip_ratio/high_max': highMax,
  });

  it('counts clipped tokens where the ratio is a token’s', () => {
    const { agree, differ } = grpo('token', fractions(1 / 4, 1 / 4, 0, 1 / 3));
    expect(differ).toEqual([]);
    expect(agree).toContain('one clip_ratio/low_mean');
  });
  it('counts clipped sequences where the ratio is a sequence’s', () => {
    expect(grpo('sequence', fractions(1 / 2, 0, 0, 0)).differ).toEqual([]);
  });
});

describe('DPO', () => {
  // python: s = ((logp - ref) * mask).sum(1); d = s[:2] - s[2:]
  // loss = (-F.logsigmoid(beta * d) * (1 - e) - F.logsigmoid(-beta * d) * e).mean(); loss.backward()   (torch 2.15, f64;
  // the sigmoid of WooooDyy/AgentGym@3ef9235 agentenv/examples/dpo/dpo_trainer.py dpo_loss)
  const tensors = {
    'in.mask': [
      [1, 1, 1],
      [1, 0, 1],
      [1, 1, 0],
      [0, 1, 1],
    ],
    'in.logp': [
      [-1, -0.5, -2],
      [-0.7, -1.2, -0.3],
      [-1.5, -0.2, -0.9],
      [-0.4, -2.2, -1.1],
    ],
    'in.logp_ref': [
      [-1.2, -0.4, -1.7],
      [-0.9, -1, -0.6],
      [-1.1, -0.5, -1.3],
      [-0.8, -1.9, -1],
    ],
    'out.one.loss': 0.661745905731884,
    'out.one.grad_logp': [
      [-0.046124915632593064, -0.046124915632593064, -0.046124915632593064],
      [-0.03493606425518185, 0, -0.03493606425518185],
      [0.046124915632593064, 0.046124915632593064, 0],
      [0, 0.03493606425518185, 0.03493606425518185],
    ],
  };
  it.each(['sigmoid', 'conservative', 'conservative_agentgym', 'cdpo'])('%s has AgentGym’s label smoothing', (name) => {
    const variants = { one: { loss_type: name, beta: 0.3, label_smoothing: 0.2 } };
    const { agree, differ } = checked(caseOf({ algorithm: 'dpo', variants }, tensors));
    expect(differ).toEqual([]);
    expect(agree).toEqual(['out.one.loss', 'out.one.grad_logp']);
  });
});
