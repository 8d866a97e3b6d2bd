/**
 * Checks the reference objectives against the recorded losses (`loss_*.json` and its safetensors): advantages, losses,
 * gradients, KL, aggregation, metrics. Every hyperparameter is read from the case's JSON, so other cases in this layout
 * run unchanged; a setting that no check reads is a failure. A form that is not implemented is reported as skipped, by kind and with the reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors } from '../../src/policy/formats/safetensors.ts';
import { Checker, type LossCase, type Report, type Skip } from './checker.ts';
import {
  checkBiLevel,
  checkDapo,
  checkGigpo,
  checkGrpoFork,
  checkKlInReward,
  checkMtGrpo,
  checkPpo,
  checkRlooTrl,
} from './credit.ts';
import {
  checkAggregation,
  checkImitation,
  checkKlEstimators,
  checkTrl,
  checkVerl,
  type ObjectiveCase,
  objectiveCase,
} from './objectives.ts';
import { checkBapo, checkCorrection, checkKto, checkPreferences } from './sequences.ts';

/** All loss cases of a folder, ordered by name. */
export function loadLossCases(goldenDir: string): LossCase[] {
  return readdirSync(goldenDir)
    .filter((file) => /^loss_.*\.json$/.test(file))
    .sort()
    .map((file) => loadLossCase(goldenDir, file.slice(0, -'.json'.length)));
}

function loadLossCase(goldenDir: string, name: string): LossCase {
  const json = JSON.parse(readFileSync(join(goldenDir, `${name}.json`), 'utf8'));
  const tensors: LossCase['tensors'] = new Map();
  for (const [key, { shape, data }] of readSafetensors(readFileSync(join(goldenDir, `${name}.safetensors`)))) {
    tensors.set(key, { shape, data: Float64Array.from(data as ArrayLike<number>) });
  }
  return { name, json, tensors };
}

/** Kind of a case, from the contents of its JSON and tensors, never from its name. */
function kindOf({ json, tensors }: LossCase): string {
  const has = (name: string) => tensors.has(name);
  if (json.algorithm) return json.algorithm;
  if (has('in.logits')) return 'logits-head';
  if (json.modes) return 'aggregation';
  if (has('in.values')) return 'ppo-gae';
  if (json.policy_loss) return 'policy-loss';
  if (json.num_generations) return 'trl';
  if (has('in.logp_new') && has('in.logp_ref') && !has('in.logp_old')) return 'kl';
  if (json.variants && has('in.logp_ref')) return 'dpo';
  if (has('in.logp') && has('in.rewards')) return 'sft';
  return 'unknown';
}

const checks: { [kind: string]: (checker: Checker) => void } = {
  bapo: checkBapo,
  'bi-level-gae': checkBiLevel,
  'dapo-batch': checkDapo,
  dpo: checkPreferences,
  gigpo: checkGigpo,
  'grpo-agentgymrl': checkGrpoFork,
  'kl-in-reward': checkKlInReward,
  kto: checkKto,
  'mt-grpo': checkMtGrpo,
  'ppo-gae': (check) => checkPpo(check),
  'ppo-gae-agentgymrl': (check) => checkPpo(check, true),
  'rloo-trl': checkRlooTrl,
  'rollout-correction': checkCorrection,
  aggregation: checkAggregation,
  kl: checkKlEstimators,
  'policy-loss': checkVerl,
  sft: checkImitation,
  trl: checkTrl,
};

export function checkLossCase(source: LossCase, report: Report, skip: Skip): void {
  const kind = kindOf(source);
  const checker = new Checker(kind, source, report, skip);
  if (kind === 'logits-head') return; // a kernel's case; checked with the models
  const check = checks[kind];
  if (!check) {
    checker.skip('not implemented');
    return;
  }
  try {
    check(checker);
    checker.reportUnread();
  } catch (error) {
    // A broken case counts as a failure with a reason; the other cases still run.
    report(kind, source.name, `cannot be checked: ${(error as Error).message}`, false, Number.POSITIVE_INFINITY);
  }
}

/**
 * Checks every case of the folder. `report` is called once per quantity, `skip` once per case or variant without an
 * implementation.
 */
export async function checkLosses(goldenDir: string, report: Report, skip: Skip = () => {}): Promise<void> {
  for (const source of loadLossCases(goldenDir)) checkLossCase(source, report, skip);
}

/** The cases that the clipped objective covers: inputs of the shader with the expected results. */
export function loadObjectiveCases(goldenDir: string): ObjectiveCase[] {
  const ignore = () => {};
  return loadLossCases(goldenDir)
    .map((source) => objectiveCase(new Checker(kindOf(source), source, ignore, ignore)))
    .filter((found) => found !== null);
}
