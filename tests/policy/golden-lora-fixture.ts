/**
 * The adapter's part of a small golden case: a `lora/` folder and its `*_lora` files, from the double-precision
 * reference.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelConfig } from '../../src/policy/config.ts';
import { type Adapter, saveAdapter } from '../../src/policy/formats/peft.ts';
import type { WritableTensor } from '../../src/policy/formats/safetensors.ts';
import type { Capacity, PackedBatch, TensorMap } from '../../src/policy/policy.ts';
import { initAdapter, type LoraConfig, projections } from '../../src/policy/weights/adapter.ts';
import { normals } from '../../src/policy/weights/init.ts';
import { advantagesOfGroup } from '../../src/rl/credit/groups.ts';
import { clippedObjective, clippedScalarValues, Flag } from '../../src/rl/objective/clipped.ts';
import { weightedLogprob } from '../../tools/golden/case.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { adamw } from './golden-fixture-settings.ts';
import { ReferencePolicy } from './reference-policy.ts';

/**
 * Adapter of each family in the fixture: all projections; some, at a rank that no tile divides; others, with rsLoRA's
 * scale.
 */
const loraOf: { [modelType: string]: LoraConfig } = {
  qwen2: { rank: 4, alpha: 8, targets: projections },
  qwen3: { rank: 3, alpha: 5, targets: ['q_proj', 'v_proj', 'up_proj'] },
  llama: { rank: 5, alpha: 2, targets: ['k_proj', 'o_proj', 'gate_proj', 'down_proj'], rankStabilized: true },
};

const formula =
  'loss = ppo_vanilla(clip 0.2/0.28, dual c=3.0, token-mean) + 0.04*token_mean(k3(logp,logp_ref)) - 0.01*token_mean(entropy); std-normalised (unbiased std + 1e-6)';
const settings = {
  clipLow: 0.2,
  clipHigh: 0.28,
  dualClip: 3,
  ratioCap: null,
  klEstimator: 'k3' as const,
  klCoefficient: 0.04,
  klClamp: true,
  entropyCoefficient: 0.01,
};
const optimizerText = 'AdamW lr 1e-3 betas .9/.999 eps 1e-8 wd 0.01, one step';

interface Case {
  folder: string;
  config: ModelConfig;
  tensors: TensorMap;
  capacity: Capacity;
  batch: PackedBatch;
  lens: readonly number[];
  mask: Int32Array;
  w: Float32Array;
  centropy: Float32Array;
  prompts: readonly Int32Array[];
  write(file: string, content: { [name: string]: WritableTensor }): void;
}

/** Writes the files and returns the manifest's entries. */
export async function writeAdapterCase(c: Case) {
  const lora = loraOf[c.config.modelType];
  const start = initAdapter(c.config, lora, 5);
  // B is not zero in a trained adapter.
  for (const [name, { data }] of start)
    if (name.endsWith('lora_B.weight')) data.set(normals(data.length, 6, name, 0.2));
  const adapter = { lora, tensors: start };
  mkdirSync(join(c.folder, 'lora'), { recursive: true });
  for (const [name, content] of Object.entries(saveAdapter(c.config, adapter, { name: '..' })))
    writeFileSync(join(c.folder, 'lora', name), content);
  const policy = new ReferencePolicy(c.config, c.tensors, c.capacity, adapter);
  await writeForward(c, policy);
  await writeGeneration(c, policy);
  const rl_step = await writeStep(c, new ReferencePolicy(c.config, c.tensors, c.capacity, adapter), adapter);
  return { adamw: await writeAdamW(c, policy), rl_step };
}

async function writeForward(c: Case, policy: ReferencePolicy) {
  const { batch } = c;
  const pick = (values: Float32Array) => Float32Array.from(batch.scored, (t) => values[t]);
  const spread = (values: Float32Array) => {
    const out = new Float64Array(batch.tokens.length);
    batch.scored.forEach((t, i) => {
      out[t] = values[i];
    });
    return { shape: [out.length], data: out };
  };
  const V = c.config.vocabSize;
  const logits = await policy.logits(batch);
  const positions = Int32Array.from([2, 5, 12]);
  const rows = Float32Array.from([...positions].flatMap((t) => [...logits.subarray(t * V, (t + 1) * V)]));
  const scores = await policy.score(batch, { temperature: 1, weights: 'policy' });
  c.write('forward_lora.safetensors', {
    logit_positions: { shape: [3], data: positions },
    logits: { shape: [3, V], data: rows },
    logp: spread(scores.logprob),
    entropy: spread(scores.entropy),
  });
  const zero = new Float32Array(batch.scored.length);
  const byLogprob = await policy.gradients(batch, pick(c.w), zero, { temperature: 1 });
  const byEntropy = await policy.gradients(batch, zero, pick(c.centropy), { temperature: 1 });
  const prefixed = [...byEntropy].map(([name, tensor]) => [`entropy.${name}`, tensor] as const);
  c.write('grads_lora.safetensors', Object.fromEntries([...byLogprob, ...prefixed]));
}

async function writeGeneration({ prompts, write }: Case, policy: ReferencePolicy) {
  await begin(
    policy,
    prompts.map((prompt, i) => ({ prompt, slots: [i], rowKeys: [i] })),
  );
  const turns = await wholeTurns(
    policy,
    prompts.map((_, slot) => ({ slot, append: new Int32Array(0), constraint: null })),
    { temperature: 0, seed: 0, stream: 0, maxTokens: 6, stopTokens: [] },
  );
  write('generate_lora.safetensors', {
    tokens: { shape: [2, 6], data: Int32Array.from(turns.flatMap((turn) => [...turn.tokens])) },
    logp: { shape: [2, 6], data: Float64Array.from(turns.flatMap((turn) => [...turn.logprobs])) },
  });
}

const optimizer = {
  learningRate: adamw.lr,
  beta1: adamw.betas[0],
  beta2: adamw.betas[1],
  epsilon: adamw.eps,
  weightDecay: adamw.weight_decay,
  maxGradNorm: adamw.max_grad_norm,
};

const sum = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0);

async function writeAdamW({ batch, mask, w, write }: Case, policy: ReferencePolicy) {
  const column = Float32Array.from(batch.scored, (t) => w[t]);
  const lora_loss_scale = 0.5;
  const scalars = [-lora_loss_scale / sum(mask)];
  const lora_steps: object[] = [];
  for (let step = 1; step <= adamw.steps; step++) {
    const { outputs, gradNorm } = await policy.update(
      { batches: [{ batch, columns: [column] }], objective: weightedLogprob, scalars, optimizer },
      { temperature: 1 },
    );
    lora_steps.push({ step, loss: sum(outputs[0].loss), grad_norm_before_clip: gradNorm });
  }
  write('adamw_lora.safetensors', Object.fromEntries((await policy.save()).tensors));
  return { lora_loss_scale, lora_steps };
}

/** Writes one GRPO step over the two sequences as one group. */
async function writeStep({ batch, lens, mask, write }: Case, policy: ReferencePolicy, adapter: Adapter) {
  const scored = Int32Array.from([...batch.tokens.keys()].filter((t) => mask[t] === 1));
  const packed = { ...batch, scored };
  const { logprob } = await policy.score(packed, { temperature: 1, weights: 'policy' });
  const shifted = (name: string) => logprob.map((x, i) => x + normals(scored.length, 9, name, 0.3)[i]);
  const [old, reference] = [shifted('old'), shifted('reference')];
  const rewards = [1, 0.25];
  const advantages = advantagesOfGroup(rewards, { baseline: 'mean-std', epsilon: 1e-6 });
  const ofToken = Float32Array.from(scored, (t) => advantages[t < lens[0] ? 0 : 1]);
  const columns = [old, reference, ofToken, new Float32Array(scored.length).fill(1 / scored.length)];
  const request = {
    batches: [{ batch: packed, columns }],
    objective: clippedObjective,
    scalars: clippedScalarValues(settings),
    optimizer,
  };
  const { outputs, gradNorm } = await policy.update(request, { temperature: 1 });
  const [{ loss, entropy, aux }] = outputs;
  const { tensors } = await policy.save();
  const scale = (1 - optimizer.beta1) * Math.min(1, optimizer.maxGradNorm / (gradNorm + 1e-6));
  const spread = (values: Float32Array) => {
    const out = new Float32Array(batch.tokens.length);
    scored.forEach((t, i) => {
      out[t] = values[i];
    });
    return { shape: [out.length], data: out };
  };
  const content: { [name: string]: WritableTensor } = {
    logp_old: spread(old),
    logp_ref: spread(reference),
    rewards: { shape: [2], data: Float32Array.from(rewards) },
    advantages: { shape: [2], data: Float64Array.from(advantages) },
  };
  for (const name of adapter.tensors.keys()) {
    const { shape, data } = tensors.get(`exp_avg.${name}`)!;
    content[name] = { shape, data: data.map((x) => x / scale) };
    content[`after_step.${name}`] = tensors.get(name)!;
  }
  write('rl_step_lora.safetensors', content);
  const mean = (values: ArrayLike<number>) => sum(values) / values.length;
  const clipped = aux.flags.filter((flags) => flags & (Flag.clippedLow | Flag.clippedHigh)).length / aux.flags.length;
  return {
    formula,
    optimizer: optimizerText,
    max_grad_norm: optimizer.maxGradNorm,
    loss: sum(loss),
    pg_loss: mean(aux.policyLoss),
    kl: mean(aux.kl),
    entropy: mean(entropy),
    grad_norm_before_clip: gradNorm,
    metrics: { 'actor/pg_clipfrac': clipped },
  };
}
