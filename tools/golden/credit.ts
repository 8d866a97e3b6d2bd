/**
 * Golden checks of credit finer than one number per group: PPO's critic, two levels, KL in the reward, steps, turns,
 * filters.
 */
import type { AlgorithmSettings, Credit } from '../../src/rl/algorithms/algorithm.ts';
import { keptRows, overlongPenalty } from '../../src/rl/algorithms/dapo.ts';
import { stepCredit } from '../../src/rl/algorithms/gigpo.ts';
import { rewardsWithKl } from '../../src/rl/algorithms/kl-reward.ts';
import { twoLevelCredit } from '../../src/rl/algorithms/mt-grpo.ts';
import { estimate } from '../../src/rl/algorithms/ppo.ts';
import { algorithmOf } from '../../src/rl/algorithms/registry.ts';
import type { AggregationOptions } from '../../src/rl/common/aggregation.ts';
import { sum } from '../../src/rl/common/numbers.ts';
import { spread } from '../../src/rl/common/token-rows.ts';
import { gae } from '../../src/rl/credit/gae.ts';
import { groupAdvantages } from '../../src/rl/credit/groups.ts';
import { whiten } from '../../src/rl/credit/tokens.ts';
import type { CaseJson, Checker } from './checker.ts';
import { aggregationOf, checkVanillaLoss, klEstimatorOf, rowsOfCase } from './objectives.ts';
import { GoldenRows, type NamedRows, settingsOf } from './rows.ts';

/** The clipped policy loss of the algorithm `name` on given advantages. `counts`: scored rows per sequence. */
export function policyLoss(
  golden: GoldenRows,
  given: NamedRows & { logprob: Float64Array },
  name: string,
  change: object,
  aggregation: AggregationOptions,
  counts = golden.counts,
) {
  const settings = settingsOf(name, change);
  const algorithm = algorithmOf(settings);
  const coefficient = golden.coefficients(aggregation, counts);
  const called = { ...given, coefficient, valueCoefficient: coefficient };
  return { out: golden.evaluate(algorithm.objective(settings), called), coefficient };
}

const verlClips = ({ cliprange, clip_ratio_low: low, clip_ratio_high: high, clip_ratio_c: dual }: CaseJson) => ({
  clipLow: low ?? cliprange,
  clipHigh: high ?? cliprange,
  dualClip: dual ?? null,
});

/** Checks verl's PPO. The fork's version bootstraps from the next token's value, even if that token is the world's. */
export function checkPpo(check: Checker, byFork = false): void {
  const { json } = check;
  const golden = rowsOfCase(check);
  const column = (name: string) => golden.gather(check.tensor(name));
  const [rewards, values] = [column('in.token_level_rewards'), column('in.values')];
  const all = check.tensor('in.values');
  const next = Float64Array.from(golden.at, (i) => ((i + 1) % golden.width === 0 ? 0 : all[i + 1]));
  for (const [suffix, { gamma, lam: lambda }] of Object.entries<CaseJson>(json.variants)) {
    const settings = { gamma, lambda, turnGamma: null, turnEnds: 'turns' as const };
    const { advantages: plain, returns } = byFork
      ? gae(rewards, values, golden.rows, settings, next)
      : estimate(rewards, values, golden.rows, settings);
    const advantages = whiten(plain);
    check.compare(`out.advantages${suffix}`, golden.scatter(advantages));
    check.compare(`out.returns${suffix}`, golden.scatter(returns));
    const given = {
      logprob: column('in.logp_new'),
      oldLogprob: column('in.logp_old'),
      advantage: advantages,
      value: column('in.vpreds'),
      oldValue: values,
      return: returns,
    };
    const change = { ...verlClips(json), valueClip: json.cliprange_value };
    const { out } = policyLoss(golden, given, 'ppo', change, aggregationOf(json));
    const valueLoss = out.metrics!.valueLoss;
    check.compare(`out.loss${suffix}`, [sum(out.loss) - valueLoss]);
    check.compare(`out.grad_logp_new${suffix}`, golden.scatter(out.weight));
    check.compare(`out.value_loss${suffix}`, [valueLoss]);
    check.compare(`out.grad_vpreds${suffix}`, golden.scatter(out.valueWeight!));
  }
}

/** The critic's loss alone: PPO's objective with zero advantages. */
function criticLoss(
  golden: GoldenRows,
  vpreds: Float64Array,
  oldValue: Float64Array,
  target: Float64Array,
  json: CaseJson,
) {
  const zero = new Float64Array(vpreds.length);
  const given = { logprob: zero, oldLogprob: zero, advantage: zero, value: vpreds, oldValue, return: target };
  const { out } = policyLoss(golden, given, 'ppo', { valueClip: json.cliprange_value }, aggregationOf(json));
  return { loss: out.metrics!.valueLoss, weight: out.valueWeight! };
}

export function checkBiLevel(check: Checker): void {
  const golden = rowsOfCase(check);
  const column = (name: string) => golden.gather(check.tensor(name));
  const [rewards, values] = [column('in.token_level_rewards'), column('in.values_old')];
  for (const [name, setting] of Object.entries<CaseJson>(check.json.settings)) {
    const { gamma, lam: lambda, high_level_gamma: turnGamma } = setting;
    const { advantages, returns } = estimate(rewards, values, golden.rows, {
      gamma,
      lambda,
      turnGamma,
      turnEnds: 'rewards',
    });
    const critic = criticLoss(golden, column('in.vpreds'), values, returns, check.json);
    check.compare(`out.${name}.advantages`, golden.scatter(whiten(advantages)));
    check.compare(`out.${name}.returns`, golden.scatter(returns));
    check.compare(`out.${name}.value_loss`, [critic.loss]);
    check.compare(`out.${name}.grad_vpreds`, golden.scatter(critic.weight));
  }
}

export function checkKlInReward(check: Checker): void {
  const [batches, count, width] = check.source.tensors.get('in.mask')!.shape;
  const part = (name: string, k: number) => check.tensor(name).subarray(k * count * width, (k + 1) * count * width);
  for (const [name, setting] of Object.entries<CaseJson>(check.json.settings)) {
    let memory = {};
    const found: { [quantity: string]: number[] } = {};
    const add = (quantity: string, values: ArrayLike<number>) => {
      found[quantity] = [...(found[quantity] ?? []), ...Array.from(values)];
    };
    for (let k = 0; k < batches; k++) {
      const golden = new GoldenRows(part('in.mask', k), width);
      const column = (tensor: string) => golden.gather(part(tensor, k));
      const values = column('in.values_old');
      const input = {
        rows: golden.rows,
        returns: [],
        trajectories: [],
        rollout: column('in.logp_old'),
        reference: column('in.logp_ref'),
        memory,
      };
      const {
        rewards,
        metrics,
        memory: next,
      } = rewardsWithKl(input, column('in.token_level_scores'), {
        coefficient: setting.kl_coef,
        estimator: klEstimatorOf(setting.estimator),
        target: setting.controller === 'adaptive' ? setting.target_kl : null,
        horizon: setting.horizon ?? 1,
      });
      memory = next ?? {};
      const options = { gamma: setting.gamma, lambda: setting.lam, turnGamma: null, turnEnds: 'turns' as const };
      const { advantages, returns } = estimate(rewards, values, golden.rows, options);
      const critic = criticLoss(golden, column('in.vpreds'), values, returns, check.json);
      add('coef', [metrics!.klPrice]);
      add('current_kl', [metrics!.rewardKl]);
      add('token_level_rewards', golden.scatter(rewards));
      add('advantages', golden.scatter(whiten(advantages)));
      add('returns', golden.scatter(returns));
      add('value_loss', [critic.loss]);
      add('grad_vpreds', golden.scatter(critic.weight));
    }
    const { klPrice = setting.kl_coef } = memory as { klPrice?: number };
    check.compareNumber(`${name} coef_after_the_last_batch`, klPrice, setting.coef_after_the_last_batch);
    for (const [quantity, values] of Object.entries(found)) {
      // Outside a batch's mask the recorded value is a score, not a reward.
      const expected = check.tensor(`out.${name}.${quantity}`);
      const masked =
        quantity === 'token_level_rewards'
          ? expected.map((value, i) => (check.tensor('in.mask')[i] ? value : 0))
          : expected;
      check.compareWith(`out.${name}.${quantity}`, values, masked);
    }
  }
}

export function checkGigpo(check: Checker): void {
  const golden = rowsOfCase(check);
  const tensor = (name: string) => check.tensor(`in.${name}`);
  const steps = { row: tensor('step_row'), observation: tensor('step_obs'), reward: tensor('step_rewards') };
  const stepOf = golden.gather(tensor('token_step'));
  for (const [name, setting] of Object.entries<CaseJson>(check.json.settings)) {
    const credit = stepCredit(steps, tensor('rewards'), tensor('group'), {
      gamma: setting.gamma,
      divideByStd: setting.mode === 'mean_std_norm',
      advantageEpsilon: setting.epsilon ?? 1e-6,
      statistics: setting.episode_statistics_over,
    });
    check.compare('out.step_group', credit.groups);
    check.compare('out.step_returns', credit.returns);
    check.compare(`out.${name}.episode_advantages`, credit.episode);
    check.compare(`out.${name}.step_advantages`, credit.step);
    const advantage = stepOf.map((k) => credit.episode[k] + setting.step_advantage_w * credit.step[k]);
    check.compare(`out.${name}.advantages`, golden.scatter(advantage));
    checkVanillaLoss(check.json.loss);
    const aggregation = aggregationOf(setting, check.json.loss, check.json);
    checkClipped(check, `out.${name}`, golden, advantage, 'gigpo', verlClips(check.json.loss), aggregation);
  }
}

/** Compares loss and gradient of the clipped objective on these advantages. */
function checkClipped(
  check: Checker,
  prefix: string,
  golden: GoldenRows,
  advantage: Float64Array,
  name: string,
  change: object,
  aggregation: AggregationOptions,
) {
  const column = (tensor: string) => (check.has(tensor) ? golden.gather(check.tensor(tensor)) : undefined);
  const logprob = column('in.logp_new')!;
  const given = {
    logprob,
    oldLogprob: column('in.logp_old')!,
    refLogprob: column('in.logp_ref') ?? logprob,
    advantage,
  };
  const { out } = policyLoss(golden, given, name, change, aggregation);
  check.compare(`${prefix}.loss`, [sum(out.loss)]);
  check.compare(`${prefix}.grad_logp_new`, golden.scatter(out.weight));
}

export function checkMtGrpo(check: Checker): void {
  const golden = rowsOfCase(check);
  const split = check.tensor('in.split');
  const rowsBefore = Array.from(split, (at, b) =>
    at < 0
      ? -1
      : Array.from(golden.at).filter((i) => Math.floor(i / golden.width) === b && i % golden.width < at).length,
  );
  const given = { turn: check.tensor('in.turn_rewards'), outcome: check.tensor('in.outcome_rewards'), rowsBefore };
  for (const [name, setting] of Object.entries<CaseJson>(check.json.settings)) {
    const credit = twoLevelCredit(given, golden.rows, setting.turn_advantage_coef);
    check.compare('out.turn_advantages', credit.turns);
    check.compare('out.outcome_advantages', credit.outcomes);
    check.compare('out.combined_advantages', credit.combined);
    check.compare(`out.${name}.advantages`, golden.scatter(credit.advantages));
    const [logprob, old, ref] = ['in.logp_new', 'in.logp_old', 'in.logp_ref'].map((tensor) =>
      golden.gather(check.tensor(tensor)),
    );
    const onPolicy = setting.num_iterations === 1;
    const columns = { logprob, oldLogprob: onPolicy ? logprob : old, refLogprob: ref, advantage: credit.advantages };
    const { epsilon, beta } = setting;
    const settings = settingsOf('mt-grpo', {
      clipLow: epsilon,
      clipHigh: epsilon,
      kl: { estimator: 'k3', coefficient: beta },
    });
    const algorithm = algorithmOf(settings);
    const call = algorithm.objective(settings);
    // The original does not clamp k3.
    const scalars = call.scalars.map((value, i) => (call.spec.scalars[i] === 'klClamp' ? 0 : value));
    const coefficient = golden.coefficients(aggregationOf(setting, check.json));
    const out = golden.evaluate({ ...call, scalars }, { ...columns, coefficient });
    check.compare(`out.${name}.loss`, [sum(out.loss)]);
    check.compare(`out.${name}.grad_logp_new`, golden.scatter(out.weight));
  }
}

export function checkDapo(check: Checker): void {
  const { overlong, settings, loss } = check.json;
  const [acc, group, wave, lens] = ['acc', 'group', 'wave', 'response_lens'].map((name) => check.tensor(`in.${name}`));
  const penalty = {
    longest: overlong.max_resp_len,
    penaltyRoom: overlong.buffer_len,
    penalty: overlong.penalty_factor,
    penaltyFloor: false,
  };
  const penalties = Float64Array.from(lens, (length) => overlongPenalty(length, penalty));
  const shaped = acc.map((value, b) => value + penalties[b]);
  check.compare('out.overlong_reward', penalties);
  check.compare('out.shaped_rewards', shaped);
  const golden = rowsOfCase(check);
  for (const [name, setting] of Object.entries<CaseJson>(settings)) {
    const values = /final/.test(setting.metric) ? shaped : acc;
    const { rows: kept, waves } = keptRows(values, group, wave, setting.train_batch_size);
    check.compare(`out.${name}.kept`, kept);
    check.compareNumber(`${name} waves`, waves, setting.waves_used);
    const chosen = new Set(kept);
    const returns = shaped.map((value, b) => (chosen.has(b) ? value : Number.NaN));
    const { advantages: each } = groupAdvantages(returns, group, { baseline: 'mean-std', epsilon: 1e-6 });
    const advantage = spread(each, golden.rows);
    check.compare(`out.${name}.advantages`, golden.scatter(advantage));
    const counts = golden.counts.map((count, b) => (chosen.has(b) ? count : 0));
    const given = {
      logprob: golden.gather(check.tensor('in.logp_new')),
      oldLogprob: golden.gather(check.tensor('in.logp_old')),
      advantage,
    };
    checkVanillaLoss(loss);
    const aggregation = aggregationOf(setting, loss, check.json);
    const { out } = policyLoss(golden, given, 'dapo', verlClips(loss), aggregation, counts);
    check.compare(`out.${name}.loss`, [sum(out.loss)]);
    check.compare(`out.${name}.grad_logp_new`, golden.scatter(out.weight));
  }
}

/** Checks TRL's RLOO: KL in the return, whitening over the batch, one ratio per episode. */
export function checkRlooTrl(check: Checker): void {
  const { json } = check;
  const groupOf = Array.from(check.tensor('in.rewards'), (_, b) => Math.floor(b / json.group_size));
  const golden = new GoldenRows(check.tensor('in.mask'), check.width('in.mask'), groupOf);
  const column = (name: string) => golden.gather(check.tensor(name));
  const settings: AlgorithmSettings = settingsOf('rloo', {
    klPerEpisode: json.beta,
    normalizeBatch: json.normalize_advantages,
    ratio: 'sequence-sum',
    aggregation: 'seq-mean-token-mean',
    clipLow: json.epsilon_low ?? 0.2,
    clipHigh: json.epsilon_high ?? 0.2,
  });
  const algorithm = algorithmOf(settings);
  const input = {
    rows: golden.rows,
    returns: check.tensor('in.rewards'),
    trajectories: [],
    rollout: column('in.logp_old'),
    reference: column('in.logp_ref'),
  };
  const credit: Credit = algorithm.credit(input, settings);
  check.compare('out.advantages', credit.episode!);
  const plain = algorithm.credit(input, { ...settings, normalizeBatch: false } as AlgorithmSettings);
  check.compare('out.advantages_raw', plain.episode!);
  const coefficient = golden.coefficients(algorithm.aggregation(settings));
  const given = { logprob: column('in.logp_new'), oldLogprob: column('in.logp_old'), advantage: credit.advantages };
  const out = golden.evaluate(algorithm.objective(settings), { ...given, coefficient });
  check.compare('out.loss', [sum(out.loss)]);
  check.compare('out.grad_logp_new', golden.scatter(out.weight));
  const ratios = Array.from({ length: golden.count }, (_, b) => out.aux.ratio[golden.rows.offsets[b]]);
  check.compare('out.seq_ratio', ratios);
}

/** Checks the fork's GRPO, the clipped objective with verl's clamps and without a dual clip. */
export function checkGrpoFork(check: Checker): void {
  const { json } = check;
  const golden = rowsOfCase(check);
  const column = (name: string) => golden.gather(check.tensor(name));
  const settings = settingsOf('grpo', {
    clipLow: json.cliprange,
    clipHigh: json.cliprange,
    entropy: json.entropy_coeff,
    kl: { estimator: klEstimatorOf(json.kl_penalty), coefficient: json.kl_loss_coef },
  });
  const algorithm = algorithmOf(settings);
  const { advantages } = algorithm.credit(
    { rows: golden.rows, returns: check.tensor('in.rewards'), trajectories: [] },
    settings,
  );
  check.compare('out.advantages', golden.scatter(advantages));
  const coefficient = golden.coefficients(aggregationOf(json));
  const given = {
    logprob: column('in.logp_new'),
    entropy: column('in.entropy'),
    oldLogprob: column('in.logp_old'),
    refLogprob: column('in.logp_ref'),
    advantage: advantages,
    coefficient,
  };
  const out = golden.evaluate(algorithm.objective(settings), given);
  check.compare('out.loss', [sum(out.loss)]);
  check.compare('out.pg_loss', [sum(out.aux.policyLoss.map((value, i) => value * coefficient[i]))]);
  check.compare('out.grad_logp_new', golden.scatter(out.weight));
  check.compare('out.grad_entropy', golden.scatter(out.entropyWeight));
}
