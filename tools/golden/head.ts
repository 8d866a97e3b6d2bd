/**
 * Checks the head's kernels against recorded logits (`loss_*.json` with the tensor `in.logits`): log-probability,
 * entropy, log-sum-exp, and the gradient of the logits in `NAME_grads.safetensors`, at the recorded temperature.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors, type Tensor } from '../../src/policy/formats/safetensors.ts';
import type { HeadInput, HeadOutput } from './head-on-logits.ts';
import { type GoldenReport, largestMagnitude, maxError } from './report.ts';

export type RunHead = (input: HeadInput) => Promise<HeadOutput>;

/** Largest allowed errors, relative to the largest magnitude of the expected tensor. */
const headGates = { value: 1e-5, gradient: 5e-5 };

const numbers = (tensor: Tensor) => tensor.data as unknown as ArrayLike<number>;

export async function checkHeads(goldenDir: string, run: RunHead, report: GoldenReport, only: readonly string[] = []) {
  for (const file of readdirSync(goldenDir)
    .filter((name) => /^loss_.*\.json$/.test(name))
    .sort()) {
    const name = file.slice(0, -'.json'.length);
    const json = JSON.parse(readFileSync(join(goldenDir, file), 'utf8'));
    if (!json.tensors?.['in.logits'] || (only.length && !only.includes(name))) continue;
    try {
      await new HeadCase(goldenDir, name, json.temperature ?? 1, run, report).run();
    } catch (error) {
      report.fail('logits-head', name, (error as Error).stack ?? String(error));
    }
  }
}

class HeadCase {
  private readonly tensors: Map<string, Tensor>;
  constructor(
    goldenDir: string,
    private readonly name: string,
    private readonly temperature: number,
    private readonly runHead: RunHead,
    private readonly report: GoldenReport,
  ) {
    this.tensors = readSafetensors(readFileSync(join(goldenDir, `${name}.safetensors`)));
    const grads = join(goldenDir, `${name}_grads.safetensors`);
    if (existsSync(grads))
      for (const [key, tensor] of readSafetensors(readFileSync(grads))) this.tensors.set(key, tensor);
  }

  private column = (key: string) => Float32Array.from(numbers(this.tensors.get(key)!));

  private compare(key: string, actual: Float32Array, gate: number) {
    const expected = this.tensors.get(key);
    if (!expected) return;
    const error = maxError(actual, numbers(expected)) / (largestMagnitude(numbers(expected)) || 1);
    this.report.check('logits-head', this.name, key, error <= gate, error, gate);
  }

  private compute(weight: Float32Array, entropyWeight: Float32Array): Promise<HeadOutput> {
    return this.runHead({
      logits: this.column('in.logits'),
      tokens: Int32Array.from(numbers(this.tensors.get('in.tokens')!)),
      weight,
      entropyWeight,
      temperature: this.temperature,
    });
  }

  async run(): Promise<void> {
    const w = this.column('in.w');
    const c = this.column('in.c_ent');
    const none = new Float32Array(w.length);
    const byLogprob = await this.compute(w, none);
    this.compare('out.logp', byLogprob.logprob, headGates.value);
    this.compare('out.entropy', byLogprob.entropy, headGates.value);
    this.compare('out.lse', byLogprob.lse, headGates.value);
    this.compare('out.dlogits_w', byLogprob.dlogits, headGates.gradient);
    const byEntropy = await this.compute(none, c);
    this.compare('out.dlogits_ent', byEntropy.dlogits, headGates.gradient);
  }
}
