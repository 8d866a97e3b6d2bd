/**
 * Writes a small model case in the golden layout into a folder: random weights, and expected numbers from the
 * double-precision reference. With it the golden program itself is tested on machines without golden data.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelConfig, ropeInverseFrequencies } from '../../src/policy/config.ts';
import { saveCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import { narrowBf16, type WritableTensor, widenBf16, writeSafetensors } from '../../src/policy/formats/safetensors.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';
import { packSequences, weightedLogprob } from '../../tools/golden/case.ts';
import { begin, wholeTurns } from '../../tools/turns.ts';
import { adamw } from './golden-fixture-settings.ts';
import { writeAdapterCase } from './golden-lora-fixture.ts';
import { layoutOf, referenceForwardBackward } from './reference.ts';
import { ReferencePolicy } from './reference-policy.ts';

/** Weights that bf16 represents exactly, large enough for spread logits and clear greedy choices. */
function exactWeights(config: ModelConfig, seed: number) {
  const tensors = initWeights(config, { seed, std: 0.3 });
  for (const [name, tensor] of tensors) {
    const shifted = tensor.data.map(
      (x, i) => x + (name.includes('norm') || name.endsWith('bias') ? Math.sin(i) * 0.1 : 0),
    );
    tensors.set(name, { shape: tensor.shape, data: widenBf16(narrowBf16(shifted)) });
  }
  return tensors;
}

export async function writeFixture(folder: string, config: ModelConfig, seed: number): Promise<void> {
  const tensors = exactWeights(config, seed);
  const lens = [11, 7];
  const total = lens[0] + lens[1];
  const offsets = [0, lens[0], total];
  const ids = Int32Array.from(normals(total, seed, 'ids', 1), (x) => Math.floor(Math.abs(x) * 997) % config.vocabSize);
  const batch = packSequences(ids, offsets);
  const mask = Int32Array.from(ids, (_, i) => (i % lens[0] > 4 ? 1 : 0));
  const masked = (name: string) => normals(total, seed, name, 1).map((x, i) => x * mask[i]);
  const [w, centropy] = [masked('w'), masked('c')];
  const spread = (values: ArrayLike<number>) => {
    const out = new Float64Array(total);
    batch.scored.forEach((t, i) => {
      out[t] = values[i];
    });
    return out;
  };
  const pick = (values: Float32Array) => Float32Array.from(batch.scored, (t) => values[t]);
  const write = (file: string, content: { [name: string]: WritableTensor }) =>
    writeFileSync(join(folder, file), writeSafetensors(new Map(Object.entries(content))));
  const single = (map: ReturnType<typeof referenceForwardBackward>['gradients'], prefix = '') =>
    Object.fromEntries(
      [...map].map(([name, { shape, data }]) => [prefix + name, { shape, data: Float32Array.from(data) }]),
    );

  mkdirSync(join(folder, 'bf16'), { recursive: true });
  for (const [where, dtype] of [
    ['', 'float32'],
    ['bf16', 'bfloat16'],
  ] as const) {
    const files = saveCheckpoint(config, tensors, null, dtype);
    writeFileSync(join(folder, where, 'config.json'), files['config.json']);
    writeFileSync(join(folder, where, 'model.safetensors'), files['model.safetensors']);
  }

  const promptLens = Int32Array.from([5, 3]);
  write('inputs.safetensors', {
    input_ids: { shape: [total], data: ids },
    cu_seqlens: { shape: [3], data: Int32Array.from(offsets) },
    loss_mask: { shape: [total], data: mask },
    prompt_lens: { shape: [2], data: promptLens },
    w: { shape: [total], data: w },
    c_ent: { shape: [total], data: centropy },
  });
  const result = referenceForwardBackward(config, tensors, batch, pick(w), null);
  const entropyResult = referenceForwardBackward(config, tensors, batch, null, pick(centropy));
  const first = layoutOf(batch).position.indexOf(0, 1);
  write('forward.safetensors', {
    logits: { shape: [total, config.vocabSize], data: Float32Array.from(result.logits) },
    logp: { shape: [total], data: spread(result.logprob) },
    entropy: { shape: [total], data: spread(result.entropy) },
    inv_freq: { shape: [config.headDim / 2], data: ropeInverseFrequencies(config) },
    ...Object.fromEntries(
      result.hidden.map((state, k) => [
        `hidden_states.${k}`,
        {
          shape: [first, config.hiddenSize],
          data: Float32Array.from(state.subarray(0, first * config.hiddenSize)),
        },
      ]),
    ),
  });
  write('grads_full.safetensors', { ...single(result.gradients), ...single(entropyResult.gradients, 'entropy.') });

  const capacity = { rows: 2, groups: 2, promptTokens: 8, completionTokens: 8, batchTokens: total, batchScored: total };
  const policy = new ReferencePolicy(config, tensors, capacity);
  const prompts = offsets.slice(0, 2).map((start, i) => ids.subarray(start, start + promptLens[i]));
  await begin(
    policy,
    prompts.map((prompt, i) => ({ prompt, slots: [i], rowKeys: [i] })),
  );
  const turns = await wholeTurns(
    policy,
    prompts.map((_, slot) => ({ slot, append: new Int32Array(0), constraint: null })),
    { temperature: 0, seed: 0, stream: 0, maxTokens: 6, stopTokens: [] },
  );
  write('generate.safetensors', {
    tokens: { shape: [2, 6], data: Int32Array.from(turns.flatMap((turn) => [...turn.tokens])) },
    logp: { shape: [2, 6], data: Float64Array.from(turns.flatMap((turn) => [...turn.logprobs])) },
  });

  const scale = -1 / mask.reduce((a, b) => a + b, 0);
  const fullSteps = [];
  for (let step = 1; step <= adamw.steps; step++) {
    const { outputs, gradNorm } = await policy.update(
      {
        batches: [{ batch, columns: [pick(w)] }],
        objective: weightedLogprob,
        scalars: [scale],
        optimizer: {
          learningRate: adamw.lr,
          beta1: adamw.betas[0],
          beta2: adamw.betas[1],
          epsilon: adamw.eps,
          weightDecay: adamw.weight_decay,
          maxGradNorm: adamw.max_grad_norm,
        },
      },
      { temperature: 1 },
    );
    fullSteps.push({ step, loss: outputs[0].loss.reduce((a, b) => a + b, 0), grad_norm_before_clip: gradNorm });
  }
  const { logprob } = await policy.score(batch, { temperature: 1, weights: 'policy' });
  const after = logprob.reduce((sum, value, i) => sum + value * pick(w)[i] * scale, 0);
  const saved = [...(await policy.save()).tensors].filter(([name]) => tensors.has(name));
  write('adamw_full.safetensors', Object.fromEntries(saved));
  const loraParts = await writeAdapterCase({
    folder,
    config,
    tensors,
    capacity,
    batch,
    lens,
    mask,
    w,
    centropy,
    prompts,
    write,
  });
  const manifest = {
    kind: 'model',
    lens,
    adamw: { ...adamw, full_loss_scale: 1, full_steps: fullSteps, full_loss_after: after, ...loraParts.adamw },
    rl_step: loraParts.rl_step,
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 1));
}

export const fixtureConfigs: { [name: string]: unknown } = {
  qwen2_tied: {
    model_type: 'qwen2',
    vocab_size: 37,
    hidden_size: 20,
    intermediate_size: 28,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 8,
    rope_theta: 1000,
    tie_word_embeddings: true,
  },
  qwen3_untied: {
    model_type: 'qwen3',
    vocab_size: 41,
    hidden_size: 12,
    intermediate_size: 20,
    num_hidden_layers: 1,
    num_attention_heads: 3,
    num_key_value_heads: 1,
    head_dim: 8,
    rope_theta: 100,
    tie_word_embeddings: false,
  },
  // No size here is a multiple of four.
  llama_odd: {
    model_type: 'llama',
    vocab_size: 53,
    hidden_size: 15,
    intermediate_size: 9,
    num_hidden_layers: 3,
    num_attention_heads: 3,
    num_key_value_heads: 3,
    head_dim: 6,
    rope_theta: 500,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 64,
    },
    tie_word_embeddings: false,
  },
};
