/**
 * Checks an adapter beside a frozen model against recorded numbers of PEFT (a case's `lora/` folder and its `*_lora`
 * files): scores, gradients, AdamW with its moments, one GRPO step, greedy continuations. Also checks that the
 * reference is the model without the adapter, and that an adapter saved in PEFT's layout is the one that was loaded.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint } from '../../src/policy/formats/checkpoint.ts';
import { type Adapter, loadAdapter, saveAdapter } from '../../src/policy/formats/peft.ts';
import type { Capacity, OptimizerSettings } from '../../src/policy/policy.ts';
import { advantagesOfGroup } from '../../src/rl/credit/groups.ts';
import { type ClippedSettings, clippedObjective, clippedScalarValues, Flag } from '../../src/rl/objective/clipped.ts';
import type { KlEstimator } from '../../src/rl/objective/kl.ts';
import {
  GoldenCase,
  gates,
  type Inputs,
  type InspectablePolicy,
  numbers,
  type OpenPolicy,
  pick,
  type Tensors,
} from './case.ts';
import { type GoldenReport, maxError } from './report.ts';

const kind = 'lora';

const number = (text: string | undefined) => (text === undefined ? Number.NaN : Number(text));

/** Parses the recorded step's loss from its formula; null if the formula has another form. */
function lossOfFormula(formula: string): ClippedSettings | null {
  const policy = /ppo_vanilla\(clip ([\d.]+)\/([\d.]+), dual c=([\d.]+), token-mean\)/.exec(formula);
  const kl = /\+ ([\d.]+)\*token_mean\((k[123])\(logp,\s*logp_ref\)\)/.exec(formula);
  const entropy = /- ([\d.]+)\*token_mean\(entropy\)/.exec(formula);
  if (!policy || !kl || !entropy || !/std-normalised \(unbiased std \+ 1e-6\)/.test(formula)) return null;
  return {
    clipLow: number(policy[1]),
    clipHigh: number(policy[2]),
    dualClip: number(policy[3]),
    ratioCap: null,
    klEstimator: kl[2] as KlEstimator,
    klCoefficient: number(kl[1]),
    klClamp: true,
    entropyCoefficient: number(entropy[1]),
  };
}

/** Parses `AdamW lr 1e-3 betas .9/.999 eps 1e-8 wd 0.01, one step`. */
function optimizerOfText(text: string, maxGradNorm: number | undefined): OptimizerSettings | null {
  const parts = /^AdamW lr (\S+) betas (\S+)\/(\S+) eps (\S+) wd (\S+), one step$/.exec(text);
  if (!parts) return null;
  const [learningRate, beta1, beta2, epsilon, weightDecay] = parts.slice(1).map(Number);
  return { learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm: maxGradNorm ?? Number.POSITIVE_INFINITY };
}

class AdapterCase extends GoldenCase {
  constructor(
    folder: string,
    name: string,
    open: OpenPolicy,
    report: GoldenReport,
    private readonly checkpoint: Checkpoint,
    private readonly inputs: Inputs,
  ) {
    super(folder, name, open, report);
  }

  async run(): Promise<void> {
    const adapter = loadAdapter(this.checkpoint.config, {
      config: this.text(join('lora', 'adapter_config.json')),
      tensors: readFileSync(join(this.folder, 'lora', 'adapter_model.safetensors')),
    });
    this.checkFiles(adapter);
    const policy = await this.openAdapted(adapter);
    try {
      await this.checkAll(policy);
      await policy.load({ tensors: adapter.tensors, optimizerStep: 0 });
      await this.checkRoundTrip(policy, adapter);
      if (this.has('rl_step_lora.safetensors')) await this.checkStep(policy);
    } finally {
      policy.destroy();
    }
  }

  private async checkAll(policy: InspectablePolicy) {
    const { inputs } = this;
    if (this.has('forward_lora.safetensors'))
      await this.checkScores(kind, policy, inputs, this.tensors('forward_lora.safetensors'));
    if (this.has('forward.safetensors')) await this.checkReference(policy, this.tensors('forward.safetensors'));
    if (this.has('grads_lora.safetensors')) await this.checkGradients(kind, policy, inputs, 'grads_lora.safetensors');
    if (this.has('generate_lora.safetensors'))
      await this.checkGeneration(kind, policy, inputs, 'generate_lora.safetensors');
    if (this.has('adamw_lora.safetensors')) await this.checkAdamW(kind, policy, inputs, 'lora');
  }

  private openAdapted(adapter: Adapter): Promise<InspectablePolicy> {
    const { batch } = this.inputs;
    const least: Capacity = {
      rows: 1,
      groups: 1,
      promptTokens: 1,
      completionTokens: 8,
      batchTokens: batch.tokens.length,
      batchScored: batch.scored.length,
    };
    const capacity = { ...least, ...this.generationCapacity(this.inputs, 'generate_lora.safetensors') };
    return this.open(this.checkpoint.config, this.checkpoint.tensors, capacity, adapter);
  }

  /** Checks that an adapter written in PEFT's layout is read back unchanged. */
  private checkFiles(adapter: Adapter) {
    const files = saveAdapter(this.checkpoint.config, adapter, { name: null });
    const again = loadAdapter(this.checkpoint.config, {
      config: files['adapter_config.json'],
      tensors: files['adapter_model.safetensors'],
    });
    const same = JSON.stringify(again.lora) === JSON.stringify(adapter.lora);
    this.report.check(kind, this.name, 'saved adapter_config.json is the same adapter', same, same ? 0 : 1);
    let worst = 0;
    for (const [name, { data }] of adapter.tensors)
      worst = Math.max(worst, maxError(again.tensors.get(name)!.data, data));
    this.report.check(kind, this.name, 'saved matrices', worst === 0, worst, 0);
  }

  /** The reference of an adapted policy is the model with the adapter switched off. */
  private async checkReference(policy: InspectablePolicy, expected: Tensors) {
    if (!expected.has('logp')) return;
    const { batch } = this.inputs;
    const { logprob } = await policy.score(batch, { temperature: 1, weights: 'reference' });
    this.compare(kind, 'logp of the reference', logprob, pick(numbers(expected, 'logp'), batch.scored), gates.logp);
  }

  /** Checks that a saved policy opens as another policy with bit-identical logits. */
  private async checkRoundTrip(policy: InspectablePolicy, { lora }: Adapter) {
    const { batch } = this.inputs;
    const before = await policy.logits(batch);
    const { tensors } = await policy.save();
    const files = saveAdapter(this.checkpoint.config, { lora, tensors }, { name: null });
    const again = loadAdapter(this.checkpoint.config, {
      config: files['adapter_config.json'],
      tensors: files['adapter_model.safetensors'],
    });
    const other = await this.openAdapted(again);
    try {
      this.same(kind, 'logits after save and load', await other.logits(batch), before);
    } finally {
      other.destroy();
    }
  }

  private async checkStep(policy: InspectablePolicy) {
    const recorded = this.manifest.rl_step;
    const settings = recorded && lossOfFormula(recorded.formula ?? '');
    const optimizer = recorded && optimizerOfText(recorded.optimizer ?? '', recorded.max_grad_norm);
    if (!settings || !optimizer)
      return this.report.fail(
        kind,
        this.name,
        `the recorded loss or optimiser has an unknown form: ${recorded?.formula}`,
      );
    const expected = this.tensors('rl_step_lora.safetensors');
    const request = this.stepRequest(expected, settings, optimizer);
    const { outputs, gradNorm } = await policy.update(request, { temperature: 1 });
    const [{ loss, entropy, aux }] = outputs;
    const sum = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0);
    const mean = (values: ArrayLike<number>) => sum(values) / values.length;
    this.relative(kind, 'loss of the step', sum(loss), recorded.loss, gates.loss);
    this.relative(kind, 'policy loss of the step', mean(aux.policyLoss), recorded.pg_loss, gates.loss);
    this.relative(kind, 'KL of the step', mean(aux.kl), recorded.kl, gates.loss);
    this.relative(kind, 'entropy of the step', mean(entropy), recorded.entropy, gates.loss);
    this.relative(kind, 'gradient norm of the step', gradNorm, recorded.grad_norm_before_clip, gates.norm);
    this.checkFractions(recorded.metrics ?? {}, outputs[0], request.batches[0].columns[0]);
    await this.checkAfterStep(policy, expected, optimizer, gradNorm);
    if (recorded.loss_after_step !== undefined) await this.checkLossAfter(policy, request, recorded.loss_after_step);
  }

  /**
   * Only action tokens are scored, each with the advantage of its sequence. Token-mean gives each the weight 1 / number
   * of tokens.
   */
  private stepRequest(expected: Tensors, settings: ClippedSettings, optimizer: OptimizerSettings) {
    const { batch, tensors, offsets } = this.inputs;
    const mask = numbers(tensors, 'loss_mask');
    const scored = Int32Array.from([...batch.tokens.keys()].filter((t) => mask[t] === 1));
    const advantages = advantagesOfGroup(Array.from(numbers(expected, 'rewards')), {
      baseline: 'mean-std',
      epsilon: 1e-6,
    });
    this.compare(kind, 'advantages', advantages, numbers(expected, 'advantages'), 1e-6);
    const sequenceOf = (t: number) => offsets.findIndex((_, i) => t < offsets[i + 1]);
    const columns = [
      Float32Array.from(pick(numbers(expected, 'logp_old'), scored)),
      Float32Array.from(pick(numbers(expected, 'logp_ref'), scored)),
      Float32Array.from(scored, (t) => advantages[sequenceOf(t)]),
      new Float32Array(scored.length).fill(1 / scored.length),
    ];
    return {
      batches: [{ batch: { ...batch, scored }, columns }],
      objective: clippedObjective,
      scalars: clippedScalarValues(settings),
      optimizer,
    };
  }

  private checkFractions(
    metrics: { [name: string]: number },
    { logprob, aux }: { logprob: Float32Array; aux: { readonly [name: string]: Float32Array } },
    old: Float32Array,
  ) {
    const share = (flag: number) => aux.flags.filter((flags) => flags & flag).length / aux.flags.length;
    const shift = old.reduce((sum, value, i) => sum + value - logprob[i], 0) / old.length;
    const values: { [name: string]: number } = {
      'actor/pg_clipfrac': share(Flag.clippedLow | Flag.clippedHigh),
      'actor/pg_clipfrac_lower': share(Flag.dualClipped),
      'actor/ppo_kl': shift,
    };
    for (const [name, value] of Object.entries(values))
      if (name in metrics) this.relative(kind, name, value, metrics[name], gates.loss);
  }

  /**
   * The first moment after one step is (1 - beta1) times the clipped gradient, so it shows every gradient of the step.
   */
  private async checkAfterStep(
    policy: InspectablePolicy,
    expected: Tensors,
    { beta1, maxGradNorm }: OptimizerSettings,
    gradNorm: number,
  ) {
    const { tensors } = await policy.save();
    const scale = (1 - beta1) * Math.min(1, maxGradNorm / (gradNorm + 1e-6));
    const starting = (prefix: string) => [...expected].filter(([name]) => name.startsWith(prefix));
    for (const [name] of starting('base_model.')) {
      const gradient = tensors.get(`exp_avg.${name}`)?.data.map((x) => x / scale);
      this.compareScaled(kind, `gradient of the step ${name}`, gradient, numbers(expected, name));
    }
    this.checkState(kind, 'after the step', tensors, new Map(starting('after_step.')), 'after_step.');
  }

  /** Another step with a learning rate of 0 returns the loss. */
  private async checkLossAfter(
    policy: InspectablePolicy,
    request: ReturnType<AdapterCase['stepRequest']>,
    after: number,
  ) {
    const still = { ...request, optimizer: { ...request.optimizer, learningRate: 0 } };
    const { outputs } = await policy.update(still, { temperature: 1 });
    const loss = outputs[0].loss.reduce((a, b) => a + b, 0);
    this.relative(kind, 'loss after the step', loss, after, gates.loss);
  }
}

/** Checks all files of a case's folder that belong to an adapter. */
export async function checkAdapter(
  folder: string,
  name: string,
  open: OpenPolicy,
  report: GoldenReport,
  checkpoint: Checkpoint,
  inputs: Inputs,
): Promise<void> {
  try {
    await new AdapterCase(folder, name, open, report, checkpoint, inputs).run();
  } catch (error) {
    report.fail(kind, name, (error as Error).stack ?? String(error));
  }
}
