/**
 * Golden checks of objectives that sum over sequences or batches: preferences, KTO, BAPO, corrections, AgentEvol's
 * filter.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evolve } from '../../src/rl/algorithms/agentevol.ts';
import { sum } from '../../src/rl/common/numbers.ts';
import { sequenceSums, spread } from '../../src/rl/common/token-rows.ts';
import { groupAdvantages } from '../../src/rl/credit/groups.ts';
import { type BapoSettings, bapoSurrogate, searchBounds } from '../../src/rl/objective/bapo.ts';
import { type BypassLoss, bypassObjective } from '../../src/rl/objective/bypass.ts';
import { clippedColumns, clippedScalars, clippedScalarValues, regularized } from '../../src/rl/objective/clipped.ts';
import { type Correction, correct, type RejectionRule } from '../../src/rl/objective/correction.ts';
import { ktoObjective, MISMATCHED, preferenceLosses, preferenceObjective } from '../../src/rl/objective/preferences.ts';
import type { CaseJson, Checker } from './checker.ts';
import { policyLoss } from './credit.ts';
import { aggregationOf, checkVanillaLoss, rowsOfCase } from './objectives.ts';
import type { GoldenReport } from './report.ts';
import { GoldenRows } from './rows.ts';

/** Our name of a recorded preference loss. cDPO is the sigmoid with label smoothing; trainers name it differently. */
function preferenceLossOf({ loss_type: name }: CaseJson) {
  const plain = /^c-?dpo|conservative/i.test(name) ? 'conservative' : name;
  return preferenceLosses.find((each) => each === plain);
}

export function checkPreferences(check: Checker): void {
  const golden = rowsOfCase(check);
  const pairs = golden.count / 2;
  const pair = Int32Array.from(golden.sequence, (b) => b % pairs);
  const [logprob, refLogprob] = ['in.logp', 'in.logp_ref'].map((name) => golden.gather(check.tensor(name)));
  const preferred = Float64Array.from(golden.sequence, (b) => (b < pairs ? 1 : 0));
  const scores = sequenceSums(
    logprob.map((value, i) => value - refLogprob[i]),
    golden.rows,
  );
  for (const [name, variant] of Object.entries<CaseJson>(check.json.variants)) {
    const loss = preferenceLossOf(variant);
    if (!loss) {
      check.skip(`preference loss ${variant.loss_type} is not implemented`, `dpo ${variant.loss_type}`);
      continue;
    }
    const labelSmoothing = variant.label_smoothing ?? 0;
    const spec = preferenceObjective({ loss, beta: variant.beta, labelSmoothing });
    const out = golden.evaluate({ spec, scalars: [] }, { logprob, refLogprob, preferred }, pair);
    check.compare(`out.${name}.loss`, [sum(out.loss)]);
    check.compare(`out.${name}.grad_logp`, golden.scatter(out.weight));
    check.compare(
      `out.${name}.chosen_rewards`,
      scores.slice(0, pairs).map((value) => variant.beta * value),
    );
    check.compare(
      `out.${name}.rejected_rewards`,
      scores.slice(pairs).map((value) => variant.beta * value),
    );
    check.compareNumber(`${name} rewards/margins`, out.metrics!.preferenceMargin, variant.metrics?.['rewards/margins']);
    check.compareNumber(
      `${name} rewards/accuracies`,
      out.metrics!.preferenceAccuracy,
      variant.metrics?.['rewards/accuracies'],
    );
  }
}

export function checkKto(check: Checker): void {
  const [mask, wrongMask] = [check.tensor('in.mask'), check.tensor('in.mask_mismatched')];
  const [width, count] = [check.width('in.mask'), check.tensor('in.label').length];
  // The mismatched completions are separate sequences after the others.
  const both = (own: string, wrong: string) => Float64Array.from([...check.tensor(own), ...check.tensor(wrong)]);
  const golden = new GoldenRows(Float64Array.from([...mask, ...wrongMask]), width);
  const labels = check.tensor('in.label');
  const label = Float64Array.from(golden.sequence, (b) => (b < count ? labels[b] : MISMATCHED));
  for (const [name, setting] of Object.entries<CaseJson>(check.json.settings)) {
    const swapped = Boolean(setting.swapped);
    const [own, wrong] = swapped
      ? ['in.logp_ref_mismatched', 'in.logp_mismatched']
      : ['in.logp_mismatched', 'in.logp_ref_mismatched'];
    const logprob = golden.gather(both('in.logp', own));
    const refLogprob = golden.gather(both('in.logp_ref', wrong));
    const spec = ktoObjective({
      loss: setting.loss_type,
      beta: setting.beta,
      desirableWeight: setting.desirable_weight,
      undesirableWeight: setting.undesirable_weight,
    });
    const out = golden.evaluate({ spec, scalars: [] }, { logprob, refLogprob, label });
    const scores = sequenceSums(
      logprob.map((value, i) => value - refLogprob[i]),
      golden.rows,
    );
    check.compare(`out.${name}.loss`, [sum(out.loss)]);
    check.compare(`out.${name}.grad_logp`, golden.scatter(out.weight).subarray(0, count * width));
    check.compare(`out.${name}.kl`, [out.metrics!.ktoBaseline]);
    check.compare(
      `out.${name}.rewards`,
      scores.slice(0, count).map((value) => setting.beta * value),
    );
  }
}

function bapoSettings(setting: CaseJson): BapoSettings {
  const dualClip = setting.clip_ratio_c ?? null;
  if (setting.rule === 'code')
    return {
      rule: 'code',
      lowStart: setting.ratio_lower_start,
      lowMost: setting.ratio_lower_max,
      lowStep: setting.ratio_lower_step,
      highStart: setting.ratio_upper_start,
      highMost: setting.ratio_upper_max,
      highStep: setting.ratio_upper_step,
      target: setting.adv_ratio_target,
      denominator: 'gross',
      weighted: false,
      epsilon: setting.eps,
      dualClip,
    };
  return {
    rule: 'paper',
    lowStart: setting.a_lo,
    lowMost: setting.b_lo,
    lowStep: setting.d_lo,
    highStart: setting.a_hi,
    highMost: setting.b_hi,
    highStep: setting.d_hi,
    target: setting.rho0,
    denominator: setting.denominator,
    weighted: setting.weight === 'pi_rollout',
    dualClip,
  };
}

export function checkBapo(check: Checker): void {
  const golden = rowsOfCase(check);
  const column = (name: string) => golden.gather(check.tensor(`in.${name}`));
  const given = { logprob: column('logp_new'), oldLogprob: column('logp_old'), advantage: column('advantages') };
  const plain = clippedScalarValues({
    clipLow: 0,
    clipHigh: 0,
    dualClip: null,
    ratioCap: null,
    klEstimator: 'k3',
    klCoefficient: 0,
    klClamp: true,
    entropyCoefficient: 0,
  });
  for (const [name, setting] of Object.entries<CaseJson>(check.json.settings)) {
    const settings = bapoSettings(setting);
    let found = { low: 0, high: 0, trace: [] as [number, number, number][] };
    const spec = {
      name: 'bapo',
      columns: clippedColumns,
      scalars: clippedScalars,
      evaluate: (rows: Parameters<typeof searchBounds>[0]) => {
        found = searchBounds(rows, settings);
        return regularized(bapoSurrogate(settings))(rows);
      },
    };
    const coefficient = golden.coefficients(aggregationOf(setting, check.json));
    const out = golden.evaluate({ spec, scalars: plain }, { ...given, coefficient });
    check.compare(`out.${name}.bounds`, [found.low, found.high]);
    check.compare(`out.${name}.trace`, found.trace.flat());
    check.compare(`out.${name}.loss`, [sum(out.loss)]);
    check.compare(`out.${name}.grad_logp_new`, golden.scatter(out.weight));
  }
}

const numbersOf = (text: unknown): number[] => String(text).split('_').map(Number);

/** Converts verl's and TRL's options to ours. */
function correctionOf(setting: CaseJson): Correction {
  if (setting.mode === 'trl') {
    const [level, outside] = setting.vllm_importance_sampling_mode.split('_');
    const bounds = { low: setting.clip_min ?? null, high: setting.clip_max ?? null };
    return { weights: level, outside, ...bounds, normalize: false, reject: [] };
  }
  const threshold = setting.rollout_is_threshold;
  const isRange = typeof threshold === 'string' && threshold.includes('_');
  const [first, second] = numbersOf(threshold ?? 2);
  const rules: string[] = setting.rollout_rs ? setting.rollout_rs.split(',').map((rule: string) => rule.trim()) : [];
  const limits = setting.rollout_rs_threshold ? String(setting.rollout_rs_threshold).split(',') : [];
  return {
    weights: setting.rollout_is ?? 'none',
    outside: isRange ? 'mask' : 'truncate',
    low: isRange ? first : null,
    high: isRange ? second : first,
    normalize: Boolean(setting.rollout_is_batch_normalize),
    reject: rules.map((rule, i) => {
      const bounds = numbersOf(limits[i] ?? limits[0]);
      return {
        rule: rule as RejectionRule,
        low: bounds.length > 1 ? bounds[0] : null,
        high: bounds[bounds.length - 1],
      };
    }),
  };
}

export function checkCorrection(check: Checker): void {
  const golden = rowsOfCase(check);
  const column = (name: string) => golden.gather(check.tensor(`in.${name}`));
  const [logprob, old, rollout] = ['logp_new', 'logp_old', 'logp_rollout'].map(column);
  const { advantages } = groupAdvantages(check.tensor('in.rewards'), golden.rows.group, {
    baseline: 'mean-std',
    epsilon: 1e-6,
  });
  const advantage = spread(advantages, golden.rows);
  check.compare('out.advantages', golden.scatter(advantage));
  checkVanillaLoss(check.json.loss);
  const { clip_ratio_low: clipLow, clip_ratio_high: clipHigh, clip_ratio_c: dualClip } = check.json.loss;
  for (const [name, setting] of Object.entries<CaseJson>(check.json.settings)) {
    const correction = correctionOf(setting);
    if (setting.mode === 'bypass') {
      checkBypass(check, name, setting, golden, { logprob, oldLogprob: rollout, advantage }, correction);
      continue;
    }
    const { weights, kept } = correct(
      old.map((value, i) => value - rollout[i]),
      golden.rows,
      correction,
    );
    if (correction.weights !== 'none') check.compare(`out.${name}.weights`, golden.scatter(weights));
    check.compare(`out.${name}.mask`, golden.scatter(kept));
    const counts = Int32Array.from(sequenceSums(kept, golden.rows));
    const weighted = advantage.map((value, i) => value * weights[i]);
    const given = { logprob, oldLogprob: old, advantage: weighted };
    const aggregation = aggregationOf(setting, check.json.loss, check.json);
    const { out } = policyLoss(golden, given, 'grpo', { clipLow, clipHigh, dualClip }, aggregation, counts);
    check.compare(`out.${name}.loss`, [sum(out.loss.map((value, i) => (kept[i] ? value : 0)))]);
    check.compare(`out.${name}.grad_logp_new`, golden.scatter(out.weight.map((value, i) => (kept[i] ? value : 0))));
  }
}

function checkBypass(
  check: Checker,
  name: string,
  setting: CaseJson,
  golden: GoldenRows,
  given: { logprob: Float64Array; oldLogprob: Float64Array; advantage: Float64Array },
  correction: Correction,
): void {
  const { clip_ratio_low: clipLow, clip_ratio_high: clipHigh, clip_ratio_c: dualClip } = check.json.loss;
  const aggregation = { longest: golden.width, ...aggregationOf(setting, check.json.loss, check.json) };
  const spec = bypassObjective({ loss: setting.loss_type as BypassLoss, correction, aggregation });
  const scalars = clippedScalarValues({
    clipLow,
    clipHigh,
    dualClip,
    ratioCap: null,
    klEstimator: 'k3',
    klCoefficient: 0,
    klClamp: true,
    entropyCoefficient: 0,
  });
  const out = golden.evaluate({ spec, scalars }, given);
  check.compare(`out.${name}.loss`, [sum(out.loss)]);
  check.compare(`out.${name}.grad_logp_new`, golden.scatter(out.weight));
  check.compare(`out.${name}.mask`, golden.scatter(out.aux.kept));
  check.compare(`out.${name}.weights`, golden.scatter(out.aux.correctionWeight));
}

/** Checks `select_*.json`: the explored records selected for training at each iteration, compared by uid. */
export function checkSelection(goldenDir: string, name: string, report: GoldenReport): void {
  const json: CaseJson = JSON.parse(readFileSync(join(goldenDir, `${name}.json`), 'utf8'));
  if (json.algorithm !== 'agentevol-filter') {
    report.skip('selection', name, `selection by ${json.algorithm} is not implemented`);
    return;
  }
  const thresholds = Object.entries<number>(json.thresholds);
  const thresholdOf = (itemId: string) => {
    const found = thresholds.find(([task]) => itemId.startsWith(task));
    if (!found) throw new RangeError(`No threshold is known for the item ${itemId}.`);
    return found[1];
  };
  let before: CaseJson[] = json.original;
  json.iterations.forEach((iteration: CaseJson, k: number) => {
    const files = iteration.files.filter((file: CaseJson) => file.name.startsWith('inference'));
    const records = files.flatMap((file: CaseJson) => file.lines.flatMap(parsed));
    const { selected, next } = evolve(records, before, thresholdOf);
    const same = (what: string, got: CaseJson[], expected: CaseJson) => {
      const names = expected.map((each: CaseJson) => each.uid ?? each);
      const ok = JSON.stringify(got.map(({ uid }) => uid)) === JSON.stringify(names);
      report.check('selection', name, `${what} of iteration ${k}`, ok, ok ? 0 : Number.POSITIVE_INFINITY);
    };
    same('selected', selected, iteration.selected);
    same('next training list', next, iteration.train_next);
    before = next;
  });
}

/** Parses a line, and drops it if it is not JSON. */
function parsed(line: string): CaseJson[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
