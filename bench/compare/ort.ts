/**
 * Greedy decoding by onnxruntime-web, as in its own examples: with its WebGPU backend the cache stays on the GPU
 * (preferredOutputLocation 'gpu-buffer'), with its WASM backend it is passed from call to call. The logits go to the
 * CPU, which chooses the next token and feeds it. The model is ours, exported with onnxruntime's fused operators.
 */
import type * as Ort from 'onnxruntime-web';
import type { ModelConfig } from '../../src/policy/config.ts';
import { type OnnxBackend, onnxRuntime } from '../../src/policy/onnx/runtime.ts';
import type { Decoded } from './shapes.ts';

export interface OrtDecoder {
  decode(prompts: readonly Int32Array[], tokens: number): Promise<Decoded>;
  close(): Promise<void>;
}

export async function ortDecoder(device: OnnxBackend, model: Uint8Array, config: ModelConfig): Promise<OrtDecoder> {
  const ort = await onnxRuntime(device);
  const layers = Array.from({ length: config.numLayers }, (_, layer) => layer);
  const parts = layers.flatMap((layer) => [`${layer}.key`, `${layer}.value`]);
  const places = Object.fromEntries([['logits', 'cpu'], ...parts.map((part) => [`present.${part}`, 'gpu-buffer'])]) as {
    [name: string]: 'cpu' | 'gpu-buffer';
  };
  const session = await ort.InferenceSession.create(model, {
    executionProviders: [device],
    ...(device === 'webgpu' && { preferredOutputLocation: places }),
  });
  const integers = (values: readonly number[], dims: readonly number[]) =>
    new ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);

  type Past = Map<string, Ort.Tensor>;

  /** Runs ids (B, S) after `past` tokens per row. */
  async function run(ids: readonly (readonly number[])[], cache: Past, past: number) {
    const [B, S] = [ids.length, ids[0].length];
    const positions = ids.flatMap(() => Array.from({ length: S }, (_, i) => past + i));
    const outputs = await session.run({
      input_ids: integers(ids.flat(), [B, S]),
      attention_mask: integers(Array(B * (past + S)).fill(1), [B, past + S]),
      position_ids: integers(positions, [B, S]),
      ...Object.fromEntries([...cache].map(([part, tensor]) => [`past_key_values.${part}`, tensor])),
    });
    for (const tensor of cache.values()) if (tensor.location === 'gpu-buffer') tensor.dispose();
    const next: Past = new Map(parts.map((part) => [part, outputs[`present.${part}`]]));
    return { logits: outputs.logits.data as Float32Array, cache: next };
  }

  return {
    async decode(prompts, tokens) {
      const B = prompts.length;
      const V = config.vocabSize;
      const empty = () => new ort.Tensor('float32', new Float32Array(0), [B, config.numKvHeads, 0, config.headDim]);
      const rows = prompts.map((prompt) => [...prompt]);
      let { logits, cache } = await run(rows, new Map(parts.map((part) => [part, empty()])), 0);
      const S = prompts[0].length;
      const promptLogits = logits.slice(0, S * V);
      const chosen: number[][] = prompts.map(() => []);
      let last = prompts.map((_, b) => argmax(logits, (b * S + S - 1) * V, V));
      last.forEach((token, b) => chosen[b].push(token));
      const started = performance.now();
      for (let i = 1; i < tokens; i++) {
        ({ logits, cache } = await run(
          last.map((token) => [token]),
          cache,
          S + i - 1,
        ));
        last = prompts.map((_, b) => argmax(logits, b * V, V));
        last.forEach((token, b) => chosen[b].push(token));
      }
      const ms = performance.now() - started;
      for (const tensor of cache.values()) tensor.dispose();
      return { ms, tokens: chosen, promptLogits };
    },
    close: () => session.release(),
  };
}

function argmax(values: Float32Array, from: number, count: number): number {
  let best = from;
  for (let i = from + 1; i < from + count; i++) if (values[i] > values[best]) best = i;
  return best - from;
}
