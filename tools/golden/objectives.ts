/**
 * Golden checks of the policy objectives through the algorithms' own modules: advantages, clipped losses, KL,
 * aggregation, metrics.
 */
import type { ObjectiveResult } from '../../src/policy/policy.ts';
import type { Algorithm, AlgorithmSettings, Credit, ObjectiveCall } from '../../src/rl/algorithms/algorithm.ts';
import { algorithmOf } from '../../src/rl/algorithms/registry.ts';
import { type AggregationOptions, aggregationModes } from '../../src/rl/common/aggregation.ts';
import { sum, unbiasedStd } from '../../src/rl/common/numbers.ts';
import { sequenceSums, spread } from '../../src/rl/common/token-rows.ts';
import { groupAdvantages } from '../../src/rl/credit/groups.ts';
import { clippedObjective, clippedScalarValues, Flag } from '../../src/rl/objective/clipped.ts';
import { type KlEstimator, klEstimators, klKinds, klTerm } from '../../src/rl/objective/kl.ts';
import { likelihoodCoefficients, likelihoodObjective } from '../../src/rl/objective/likelihood.ts';
import { policySpec } from '../../src/rl/objective/surrogate.ts';
import type { CaseJson, Checker } from './checker.ts';
import { GoldenRows, settingsOf } from './rows.ts';

const isKnownMode = (mode: string) => (aggregationModes as readonly string[]).includes(mode);

/** Aggregation by verl's names: its mode and its arguments. Throws if the mode is not implemented. */
function aggregationOfMode(mode: string, args: CaseJson = {}): AggregationOptions {
  if (!isKnownMode(mode)) throw new Error(`aggregation ${mode} is not implemented`);
  return {
    mode: mode as AggregationOptions['mode'],
    batchTokens: args.batch_num_tokens ?? null,
    batchSequences: args.global_batch_size ?? null,
    scaleFactor: args.loss_scale_factor ?? null,
  };
}

/**
 * Aggregation of a recorded loss: `loss_agg_mode` and `agg_args` of the first of `levels` that has them (a setting, the
 * loss's own settings, the case); token-mean if none has.
 */
export function aggregationOf(...levels: readonly CaseJson[]): AggregationOptions {
  const first = (key: string) => levels.map((level) => level?.[key]).find((value) => value !== undefined);
  return aggregationOfMode(first('loss_agg_mode') ?? 'token-mean', first('agg_args') ?? {});
}

/** Throws unless the loss is PPO's clipped one, the only one that the checks of credit compute. */
export function checkVanillaLoss({ policy_loss: name }: CaseJson): void {
  if (name !== undefined && !/vanilla$|compute_policy_loss$/.test(name))
    throw new Error(`policy loss ${name} is not implemented here`);
}

export const rowsOfCase = (check: Checker) =>
  new GoldenRows(
    check.tensor('in.mask'),
    check.width('in.mask'),
    check.has('in.group') ? check.tensor('in.group') : null,
  );

export function checkAggregation(check: Checker): void {
  const golden = rowsOfCase(check);
  const losses = golden.gather(check.tensor('in.loss_mat'));
  for (const [name, args] of Object.entries<CaseJson>(check.json.modes)) {
    if (!isKnownMode(args.mode)) {
      check.skip(`aggregation ${args.mode} is not implemented`, `aggregation ${args.mode}`);
      continue;
    }
    const coefficients = golden.coefficients(aggregationOfMode(args.mode, args));
    check.compare(`out.loss_${name}`, [sum(losses.map((value, i) => value * coefficients[i]))]);
    check.compare(`out.grad_${name}`, golden.scatter(coefficients));
  }
}

export function checkKlEstimators(check: Checker): void {
  const golden = rowsOfCase(check);
  const [logprob, ref] = ['in.logp_new', 'in.logp_ref'].map((name) => golden.gather(check.tensor(name)));
  const coefficients = golden.coefficients(aggregationOf(check.json));
  for (const estimator of klEstimators) {
    const name = estimator.replace('+', '_plus');
    const terms = Array.from(logprob, (value, i) => klTerm(value, ref[i], estimator));
    check.compare(`out.kl_${name}`, golden.scatter(terms.map(({ value }) => value)));
    check.compare(`out.loss_${name}`, [sum(terms.map(({ value }, i) => coefficients[i] * value))]);
    check.compare(`out.grad_${name}`, golden.scatter(terms.map(({ weight }, i) => coefficients[i] * weight)));
  }
}

/** KL estimator of a recorded case, under our name or verl's. Default: k3. */
export function klEstimatorOf(name: string | null | undefined): KlEstimator {
  if (!name) return 'k3';
  const plain = name.replace(/\+$/, '');
  const own = klEstimators.find((each) => klKinds[each].verl02 === plain) ?? plain;
  const estimator = `${own}${name.slice(plain.length)}`;
  if (!klEstimators.includes(estimator as KlEstimator)) throw new Error(`unknown KL estimator ${name}`);
  return estimator as KlEstimator;
}

/** Our settings for verl's names of policy losses. */
const policyLosses: readonly { name: RegExp; settings: object }[] = [
  { name: /vanilla$|compute_policy_loss$|clip_higher|dual_clip|dapo/, settings: {} },
  { name: /gspo$/, settings: { ratio: 'sequence', dualClip: null, aggregation: 'seq-mean-token-mean' } },
  { name: /cispo$/, settings: { surrogate: 'cispo' } },
];

/** Our settings for verl's fields. */
const verlFields = (json: CaseJson) => ({
  clipLow: json.clip_ratio_low ?? json.cliprange,
  clipHigh: json.clip_ratio_high ?? json.cliprange,
  dualClip: json.clip_ratio_c ?? null,
  kl: { estimator: klEstimatorOf(json.kl_penalty), coefficient: json.kl_loss_coef ?? 0 },
  entropy: json.entropy_coeff ?? 0,
  aggregation: json.loss_agg_mode ?? 'token-mean',
  lossScaleFactor: json.agg_args?.loss_scale_factor ?? null,
  advantageEpsilon: json.advantage_args?.epsilon ?? 1e-6,
  gamma: json.advantage_args?.gamma ?? json.gamma ?? 1,
  ...(json.kl_in_reward
    ? {
        klReward: {
          coefficient: json.kl_in_reward.coef,
          estimator: klEstimatorOf(json.kl_in_reward.estimator),
          target: null,
          horizon: 1,
        },
      }
    : {}),
  ...(policyLosses.find(({ name }) => name.test(json.policy_loss))?.settings ?? {}),
});

/** An algorithm with the settings of a case. */
interface Choice {
  algorithm: Algorithm;
  settings: AlgorithmSettings;
}

const choiceOf = (name: string, json: CaseJson): Choice => ({
  algorithm: algorithmOf({ name }),
  settings: settingsOf(name, verlFields(json)),
});

const verlAlgorithms: { [advantage: string]: string } = {
  compute_rloo_outcome_advantage: 'rloo',
  compute_reinforce_plus_plus_outcome_advantage: 'reinforce-pp',
  compute_reinforce_plus_plus_baseline_outcome_advantage: 'reinforce-pp-baseline',
};

/** Chooses the algorithm by the name of verl's advantage function; null if no module has that credit. */
function verlChoice(json: CaseJson): Choice | null {
  if (json.advantage === 'compute_grpo_outcome_advantage')
    return json.advantage_args?.norm_adv_by_std_in_grpo === false ? choiceOf('dr-grpo', json) : choiceOf('grpo', json);
  const name = verlAlgorithms[json.advantage];
  return name ? choiceOf(name, json) : null;
}

interface VerlInputs {
  golden: GoldenRows;
  credit: Credit;
  call: ObjectiveCall;
  given: { [name: string]: Float64Array } & { logprob: Float64Array };
  /**
   * Coefficient of KL and entropy. verl's GSPO always averages its policy loss over sequences, and the other two as
   * `loss_agg_mode` has it.
   */
  regularCoefficient: Float64Array;
}

function verlInputs(check: Checker, { algorithm, settings }: Choice): VerlInputs {
  const golden = rowsOfCase(check);
  const column = (name: string) => (check.has(`in.${name}`) ? golden.gather(check.tensor(`in.${name}`)) : undefined);
  const logprob = column('logp_new')!;
  const rewards = column('token_level_rewards') ?? column('token_level_scores');
  const returns = rewards ? sequenceSums(rewards, golden.rows) : check.tensor('in.rewards');
  const rollout = column('logp_old')!;
  const reference = 'klReward' in settings ? column('logp_ref') : undefined;
  const credit = algorithm.credit({ rows: golden.rows, returns, trajectories: [], rollout, reference }, settings);
  const { advantages } = credit;
  const recorded = aggregationOf(check.json);
  const options = { ...algorithm.aggregation(settings), ...present(recorded) };
  const given = {
    logprob,
    entropy: column('entropy') ?? new Float64Array(logprob.length),
    oldLogprob: column('logp_old')!,
    refLogprob: column('logp_ref') ?? logprob,
    advantage: withImportance(check, golden, advantages),
    coefficient: golden.coefficients(options),
  };
  const regularCoefficient = golden.coefficients({ ...options, mode: recorded.mode });
  return { golden, credit, call: algorithm.objective(settings), given, regularCoefficient };
}

const present = ({ mode: _, ...options }: AggregationOptions) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));

/**
 * Rollout importance weights multiply the policy loss. They are positive, so multiplying the advantage by them is
 * equivalent.
 */
function withImportance(check: Checker, golden: GoldenRows, advantages: Float64Array): Float64Array {
  const name = ['in.rollout_is_weights', 'in.is_weights'].find((candidate) => check.has(candidate));
  if (!name) return advantages;
  const weights = golden.gather(check.tensor(name));
  return advantages.map((advantage, i) => advantage * weights[i]);
}

export function checkVerl(check: Checker): void {
  const { json } = check;
  const chosen = verlChoice(json);
  if (!chosen) {
    check.skip(`advantage ${json.advantage} is not implemented`, String(json.advantage));
    return;
  }
  if (!isKnownMode(json.loss_agg_mode)) {
    check.skip(`aggregation ${json.loss_agg_mode} is not implemented`, `aggregation ${json.loss_agg_mode}`);
    return;
  }
  if (!policyLosses.some(({ name }) => name.test(json.policy_loss))) {
    check.skip(`policy loss ${json.policy_loss} is not implemented`, String(json.policy_loss));
    return;
  }
  const { golden, credit, call, given, regularCoefficient } = verlInputs(check, chosen);
  check.compare('out.advantages', golden.scatter(credit.advantages));
  if (credit.columns?.return) check.compare('out.returns', golden.scatter(credit.columns.return));
  if (credit.columns?.reward) check.compare('out.token_level_rewards', golden.scatter(credit.columns.reward));
  checkPolicyLoss(check, golden, given, regularCoefficient, evaluateParts(golden, call, given, regularCoefficient));
}

/** Evaluates the policy term and, where they have a coefficient of their own, KL and entropy. */
function evaluateParts(golden: GoldenRows, call: ObjectiveCall, given: Given, regularCoefficient: Float64Array) {
  const all = golden.evaluate(call, given);
  if (regularCoefficient.every((value, i) => value === given.coefficient[i])) return all;
  const without = { klCoefficient: 0, entropyCoefficient: 0 };
  const plain = call.scalars.map((value, i) => (call.spec.scalars[i] in without ? 0 : value));
  const policy = golden.evaluate({ ...call, scalars: plain }, given);
  const zero = Float64Array.from(given.logprob, () => 0);
  const regular = golden.evaluate(call, { ...given, advantage: zero, coefficient: regularCoefficient });
  const added = (name: 'loss' | 'weight' | 'entropyWeight') =>
    policy[name].map((value, i) => value + regular[name][i]) as Float64Array;
  return { ...all, loss: added('loss'), weight: added('weight'), entropyWeight: added('entropyWeight') };
}

type Given = { [name: string]: ArrayLike<number> } & { logprob: ArrayLike<number> };

function checkPolicyLoss(
  check: Checker,
  golden: GoldenRows,
  given: Given,
  regularCoefficient: Float64Array,
  out: ObjectiveResult,
): void {
  const aggregate = (values: ArrayLike<number>, coefficient: ArrayLike<number> = regularCoefficient) =>
    sum(Array.from(values, (value, i) => value * coefficient[i]));
  check.compare('out.loss', [sum(out.loss)]);
  check.compare('out.grad_logp_new', golden.scatter(out.weight));
  check.compare('out.pg_loss', [aggregate(out.aux.policyLoss, given.coefficient)]);
  check.compare('out.kl_agg', [aggregate(out.aux.kl)]);
  check.compare('out.entropy_agg', [aggregate(given.entropy)]);
  check.compare('out.grad_entropy', golden.scatter(out.entropyWeight));
  checkMetrics(check, given, out);
}

/** Checks metrics. verl's are masked means with 1e-8 added to the count. */
function checkMetrics(check: Checker, { logprob, oldLogprob }: Given, out: ObjectiveResult): void {
  const metrics = check.json.metrics ?? {};
  const flags = out.aux.flags;
  const clipped = mean(flags.length, (i) => (flags[i] & (Flag.clippedLow | Flag.clippedHigh) ? 1 : 0));
  const dual = mean(flags.length, (i) => (flags[i] & Flag.dualClipped ? 1 : 0));
  const kl = mean(flags.length, (i) => Math.min(20, Math.max(-20, oldLogprob[i] - logprob[i])));
  check.compareNumber('actor/pg_clipfrac', clipped, metrics['actor/pg_clipfrac']);
  check.compareNumber('actor/pg_clipfrac_lower', dual, metrics['actor/pg_clipfrac_lower']);
  check.compareNumber('actor/ppo_kl', kl, metrics['actor/ppo_kl']);
}

const mean = (count: number, value: (i: number) => number) =>
  sum(Array.from({ length: count }, (_, i) => value(i))) / Math.max(count, 1);

/** Loss forms of supervised fine-tuning: plain, over the rows above a threshold, and weighted by the return. */
const imitationForms: { [form: string]: { mode: AggregationOptions['mode']; rows: 'all' | 'good' | 'weighted' } } = {
  sft_token_mean: { mode: 'token-mean', rows: 'all' },
  filtered_token_mean: { mode: 'token-mean', rows: 'good' },
  weighted_token_mean: { mode: 'token-mean', rows: 'weighted' },
  weighted_seq_mean_token_sum: { mode: 'seq-mean-token-sum', rows: 'weighted' },
  weighted_seq_mean_token_mean: { mode: 'seq-mean-token-mean', rows: 'weighted' },
};

export function checkImitation(check: Checker): void {
  for (const form of Object.keys(check.json.formulas)) {
    const known = imitationForms[form];
    if (known) checkImitationForm(check, form, known);
    else check.skip(`supervised form ${form} is not implemented`, `sft ${form}`);
  }
}

function checkImitationForm(check: Checker, form: string, { mode, rows }: (typeof imitationForms)[string]): void {
  const golden = rowsOfCase(check);
  const returns = check.tensor('in.rewards');
  const counts = golden.counts.map((count, b) => (rows !== 'good' || returns[b] > check.json.threshold ? count : 0));
  const perRow = likelihoodCoefficients(counts, mode, rows === 'weighted' ? returns : null);
  const given = { logprob: golden.gather(check.tensor('in.logp')), coefficient: spread(perRow, golden.rows) };
  const out = golden.evaluate({ spec: likelihoodObjective, scalars: [] }, given);
  check.compare(`out.loss_${form}`, [sum(out.loss)]);
  check.compare(`out.grad_${form}`, golden.scatter(out.weight));
}

export function checkTrl(check: Checker): void {
  for (const [name, variant] of Object.entries<CaseJson>(check.json.variants)) checkTrlVariant(check, name, variant);
}

/** Sizes of a batch, by which some of TRL's losses divide. */
interface TrlSizes {
  rows: number;
  longest: number;
  items: number;
}

const trlModes: { [loss: string]: (sizes: TrlSizes) => AggregationOptions } = {
  grpo: ({ rows }) => ({ mode: 'seq-mean-token-mean', batchSequences: rows }),
  bnpo: () => ({ mode: 'token-mean' }),
  dr_grpo: ({ rows, longest }) => ({ mode: 'token-mean', batchTokens: rows * longest }),
  dapo: ({ items }) => ({ mode: 'token-mean', batchTokens: items }),
  cispo: ({ items }) => ({ mode: 'token-mean', batchTokens: items }),
};

/** Why a TRL variant cannot be checked, or null. */
function trlObstacle(variant: CaseJson): [kind: string, why: string] | null {
  const { loss_type: loss, importance_sampling_level: level, scale_rewards: scale } = variant;
  if (!trlModes[loss]) return [`trl ${loss}`, `TRL's loss ${loss} is not implemented`];
  if (level && !['token', 'sequence'].includes(level))
    return ['trl level', `${level}-level ratios are not implemented`];
  if (!['group', 'none', 'batch'].includes(scale))
    return ['trl reward scale', `rewards scaled by ${scale} are not implemented`];
  return null;
}

function checkTrlVariant(check: Checker, name: string, variant: CaseJson): void {
  const obstacle = trlObstacle(variant);
  if (obstacle) {
    check.skip(obstacle[1], obstacle[0]);
    return;
  }
  const golden = rowsOfCase(check);
  const groupOf = Array.from({ length: golden.count }, (_, i) => Math.floor(i / check.json.num_generations));
  const baseline = variant.scale_rewards === 'group' ? 'mean-std' : 'mean';
  const { advantages: plain } = groupAdvantages(check.tensor('in.rewards'), groupOf, { baseline, epsilon: 1e-4 });
  const batchStd = unbiasedStd(check.tensor('in.rewards')) + 1e-4;
  const advantages = variant.scale_rewards === 'batch' ? plain.map((value) => value / batchStd) : plain;
  check.compare(`out.${name}.advantages`, advantages);
  const column = (tensor: string) => golden.gather(check.tensor(tensor));
  const given = {
    logprob: column('in.logp_new'),
    oldLogprob: column('in.logp_old'),
    refLogprob: column(check.has('in.logp_ref') ? 'in.logp_ref' : 'in.logp_new'),
    advantage: spread(advantages, golden.rows),
    coefficient: golden.coefficients(
      trlModes[variant.loss_type]({
        rows: golden.count,
        longest: variant.max_completion_length,
        items: variant.num_items_in_batch,
      }),
    ),
  };
  const out = golden.evaluate({ spec: trlSpec(variant), scalars: trlScalars(variant) }, given);
  check.compare(`out.${name}.loss`, [sum(out.loss)]);
  check.compare(`out.${name}.grad_logp_new`, golden.scatter(out.weight));
  checkTrlMetrics(check, name, variant, golden, given.advantage, out);
}

const trlSpec = ({ importance_sampling_level: level, loss_type: loss }: CaseJson) =>
  policySpec(level === 'sequence' ? 'sequence' : 'token', loss === 'cispo' ? 'cispo' : 'clip');

/** TRL's CISPO has only an upper bound, which is epsilon_high itself. */
const trlScalars = (variant: CaseJson) =>
  clippedScalarValues({
    clipLow: variant.loss_type === 'cispo' ? 1 : variant.epsilon_low,
    clipHigh: variant.epsilon_high - (variant.loss_type === 'cispo' ? 1 : 0),
    dualClip: null,
    ratioCap: variant.delta ?? null,
    klEstimator: 'k3',
    klCoefficient: variant.beta,
    klClamp: false,
    entropyCoefficient: 0,
  });

/**
 * Checks metrics. TRL's fraction of clipped ratios counts ratios: one a token, or one a sequence where the ratio belongs
 * to the sequence (trl@f2cd577 grpo_trainer.py, `global_masked_mean`). KL stays a mean over tokens.
 */
function checkTrlMetrics(
  check: Checker,
  name: string,
  variant: CaseJson,
  golden: GoldenRows,
  advantage: Float64Array,
  out: ObjectiveResult,
): void {
  const metrics: { [metric: string]: number } = variant.metrics ?? {};
  const { kl, flags, ratio } = out.aux;
  const ofSequences = variant.importance_sampling_level === 'sequence';
  const perSequence = (holds: (i: number) => boolean) =>
    Array.from(golden.counts, (count, b) => mean(count, (k) => (holds(golden.rows.offsets[b] + k) ? 1 : 0)));
  const perToken = (holds: (i: number) => boolean) => flags.map((_, i) => (holds(i) ? 1 : 0));
  const share = (holds: (i: number) => boolean) => {
    const values = ofSequences ? perSequence(holds) : perToken(holds);
    return mean(values.length, (i) => values[i]);
  };
  const low = (i: number) => (flags[i] & Flag.clippedLow) !== 0;
  const high = (i: number) => (flags[i] & Flag.clippedHigh) !== 0;
  const cispo = (i: number) => ratio[i] > variant.epsilon_high && advantage[i] > 0;
  const meanKl = mean(kl.length, (i) => kl[i]);
  check.compareNumber(`${name} kl`, meanKl, metrics.kl);
  check.compareNumber(`${name} clip_ratio/low_mean`, share(low), metrics['clip_ratio/low_mean']);
  check.compareNumber(`${name} clip_ratio/high_mean`, share(high), metrics['clip_ratio/high_mean']);
  const region = share((i) => low(i) || high(i));
  check.compareNumber(`${name} clip_ratio/region_mean`, region, metrics['clip_ratio/region_mean']);
  check.compareNumber(`${name} clip_ratio/low_min`, Math.min(...perSequence(low)), metrics['clip_ratio/low_min']);
  check.compareNumber(`${name} clip_ratio/high_max`, Math.max(...perSequence(high)), metrics['clip_ratio/high_max']);
  check.compareNumber(`${name} cispo_clip_ratio`, share(cispo), metrics.cispo_clip_ratio);
}

/** A golden case as input of the GPU's objective: the counted tokens only, in f32, with the expected results. */
export interface ObjectiveCase {
  name: string;
  logprob: Float32Array;
  entropy: Float32Array;
  columns: Float32Array[];
  scalars: readonly number[];
  /** Result of the TypeScript definition on the same f32 inputs. */
  expected: ObjectiveResult;
  /** Recorded results. */
  golden: { weight: Float64Array; loss: number };
}

/** The case for running the shader on the same inputs; null if the clipped objective does not cover it. */
export function objectiveCase(check: Checker): ObjectiveCase | null {
  const { json } = check;
  const chosen = json.policy_loss ? verlChoice(json) : null;
  if (!chosen) return null;
  const { golden, call, given } = verlInputs(check, chosen);
  if (call.spec !== clippedObjective) return null;
  const single = Object.fromEntries(Object.entries(given).map(([name, values]) => [name, Float32Array.from(values)]));
  const [logprob, entropy] = [single.logprob, single.entropy];
  return {
    name: check.source.name,
    logprob,
    entropy,
    columns: call.spec.columns.map((name) => single[name]),
    scalars: call.scalars,
    expected: golden.evaluate(call, { ...single, logprob }),
    golden: { weight: golden.gather(check.tensor('out.grad_logp_new')), loss: check.tensor('out.loss')[0] },
  };
}
