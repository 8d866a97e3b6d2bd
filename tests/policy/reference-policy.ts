/**
 * A policy without a GPU: implements the `Learner` interface with the double-precision reference, for tests of the
 * layers above. It recomputes everything for every token, so it is meant for models of a few thousand parameters.
 */

import type { ModelConfig } from '../../src/policy/config.ts';
import { HostEvaluation } from '../../src/policy/engine/host-evaluation.ts';
import { pcg4d } from '../../src/policy/engine/random.ts';
import type { Adapter } from '../../src/policy/formats/peft.ts';
import type {
  AdmittedGroup,
  Capacity,
  Counters,
  GeneratedTurn,
  GenerateRow,
  Learner,
  OptimizerSettings,
  PackedBatch,
  PolicyState,
  Sampling,
  Scores,
  TensorMap,
  TokenTrie,
  UpdateRequest,
} from '../../src/policy/policy.ts';
import { loraScale } from '../../src/policy/weights/adapter.ts';
import { type Gradients, headRow, referenceForwardBackward } from './reference.ts';

const double = (tensors: TensorMap): Gradients =>
  new Map([...tensors].map(([name, { shape, data }]) => [name, { shape: [...shape], data: Float64Array.from(data) }]));
const single = (tensors: Gradients): TensorMap =>
  new Map([...tensors].map(([name, { shape, data }]) => [name, { shape: [...shape], data: Float32Array.from(data) }]));
const scoresOf = ({ logprob, entropy }: { logprob: ArrayLike<number>; entropy: ArrayLike<number> }): Scores => ({
  logprob: Float32Array.from(logprob),
  entropy: Float32Array.from(entropy),
});
const zeros = (like: Gradients): Gradients =>
  new Map([...like].map(([name, { shape, data }]) => [name, { shape, data: new Float64Array(data.length) }]));

/** `base_model.model.NAME.lora_A.weight` of a weight NAME. */
const factors = (weight: string) =>
  ['A', 'B'].map((matrix) => `base_model.model.${weight.replace(/weight$/, `lora_${matrix}.weight`)}`);

/** W + scale B A of every adapted weight: a model without adapter that computes the same. */
function merged(base: Gradients, adapter: Gradients, scale: number): Gradients {
  return new Map(
    [...base].map(([name, { shape, data }]) => {
      const [A, B] = factors(name).map((factor) => adapter.get(factor));
      if (!A || !B) return [name, { shape, data }];
      const [rank, inputs] = A.shape;
      const product = (n: number, k: number) => {
        let sum = 0;
        for (let j = 0; j < rank; j++) sum += B.data[n * rank + j] * A.data[j * inputs + k];
        return sum;
      };
      const sum = data.map((w, i) => w + scale * product(Math.floor(i / inputs), i % inputs));
      return [name, { shape, data: sum }];
    }),
  );
}

/** Gradients of A and B from that of W + scale B A. */
function pulledBack(gradients: Gradients, adapter: Gradients, scale: number): Gradients {
  const out = zeros(adapter);
  for (const [name, { shape, data }] of gradients) {
    const [A, B] = factors(name).map((factor) => adapter.get(factor));
    if (!A || !B) continue;
    const [dA, dB] = factors(name).map((factor) => out.get(factor)!.data);
    const [rank, inputs] = A.shape;
    for (let n = 0; n < shape[0]; n++)
      for (let j = 0; j < rank; j++)
        for (let k = 0; k < inputs; k++) {
          dB[n * rank + j] += scale * data[n * inputs + k] * A.data[j * inputs + k];
          dA[j * inputs + k] += scale * B.data[n * rank + j] * data[n * inputs + k];
        }
  }
  return out;
}

interface Slot {
  prompt: readonly number[];
  tokens: number[];
  rowKey: number;
}

export class ReferencePolicy implements Learner {
  readonly vocabSize: number;
  readonly numParameters: number;
  readonly slots = new Map<number, Slot>();
  readonly notes = new Map<string, number>();
  readonly texts = new Map<string, string>();
  private readonly base: Gradients;
  private parameters: Gradients;
  private reference: Gradients;
  private expAvg: Gradients;
  private expAvgSq: Gradients;
  private optimizerStep = 0;

  constructor(
    readonly config: ModelConfig,
    tensors: TensorMap,
    readonly capacity: Capacity,
    /** If given, only the adapter is trained, and the reference is the model without it. */
    private readonly adapter?: Adapter,
  ) {
    this.base = double(tensors);
    this.parameters = adapter ? double(adapter.tensors) : this.base;
    this.reference = this.parameters;
    this.expAvg = zeros(this.parameters);
    this.expAvgSq = zeros(this.parameters);
    this.vocabSize = config.vocabSize;
    this.numParameters = [...this.parameters.values()].reduce((sum, { data }) => sum + data.length, 0);
  }

  counters(): Counters {
    return {
      tokensPrefilled: 0,
      tokensGenerated: 0,
      tokensTrained: 0,
      dispatches: 0,
      submissions: 0,
      readbacks: 0,
      flops: 0,
      buffersCreated: 0,
    };
  }

  /** The weights of a model without adapter that computes the same. */
  private effective(): Gradients {
    return this.adapter ? merged(this.base, this.parameters, loraScale(this.adapter.lora)) : this.parameters;
  }

  private trained(gradients: Gradients): Gradients {
    return this.adapter ? pulledBack(gradients, this.parameters, loraScale(this.adapter.lora)) : gradients;
  }

  private forward(batch: PackedBatch, temperature = 1, parameters = this.effective()) {
    return referenceForwardBackward(this.config, parameters, batch, null, null, temperature);
  }

  async logits(batch: PackedBatch): Promise<Float32Array> {
    return Float32Array.from(this.forward(batch).logits);
  }

  async hiddenStates(batch: PackedBatch): Promise<Float32Array[]> {
    return this.forward(batch).hidden.map((state) => Float32Array.from(state));
  }

  async gradients(
    batch: PackedBatch,
    weight: Float32Array,
    entropyWeight: Float32Array,
    options: { temperature: number },
  ): Promise<TensorMap> {
    const { gradients } = referenceForwardBackward(
      this.config,
      this.effective(),
      batch,
      weight,
      entropyWeight,
      options.temperature,
    );
    return single(this.trained(gradients));
  }

  async admit(groups: readonly AdmittedGroup[]) {
    for (const { prompt, slots, rowKeys } of groups)
      for (const [i, slot] of slots.entries())
        this.slots.set(slot, { prompt: [...prompt], tokens: [...prompt], rowKey: rowKeys[i] });
  }

  release(slots: readonly number[]) {
    for (const slot of slots) this.slots.delete(slot);
  }

  restart(slot: number, rowKey: number) {
    const { prompt } = this.slots.get(slot)!;
    this.slots.set(slot, { prompt, tokens: [...prompt], rowKey });
  }

  room(slot: number): number {
    return this.capacity.promptTokens + this.capacity.completionTokens - this.slots.get(slot)!.tokens.length;
  }

  private nextLogits(tokens: readonly number[]): Float64Array {
    const batch: PackedBatch = {
      tokens: Int32Array.from(tokens),
      segments: [{ start: 0, end: tokens.length, parent: -1 }],
      scored: new Int32Array(0),
      allowed: null,
    };
    return this.forward(batch).logits.subarray((tokens.length - 1) * this.vocabSize);
  }

  async generate(rows: readonly GenerateRow[], sampling: Sampling): Promise<GeneratedTurn[]> {
    return rows.map((row) => this.generateRow(row, sampling));
  }

  private generateRow({ slot, append, constraint }: GenerateRow, sampling: Sampling): GeneratedTurn {
    const state = this.slots.get(slot)!;
    state.tokens.push(...append);
    const tokens: number[] = [];
    const logprobs: number[] = [];
    let node = 0;
    const finish = (ending: GeneratedTurn['ending'], leaf = -1): GeneratedTurn => ({
      tokens: Int32Array.from(tokens),
      logprobs: Float32Array.from(logprobs),
      leaf,
      ending,
    });
    if (constraint && constraint.leaf[0] >= 0) return finish('leaf', constraint.leaf[0]);
    while (tokens.length < (constraint?.depth ?? sampling.maxTokens)) {
      if (this.room(slot) < 1) return finish('context');
      const { token, logprob } = this.sample(state, constraint, node, sampling);
      tokens.push(token);
      logprobs.push(logprob);
      state.tokens.push(token);
      if (constraint) {
        node = child(constraint, node, token);
        if (constraint.leaf[node] >= 0) return finish('leaf', constraint.leaf[node]);
      } else if (sampling.stopTokens.includes(token)) return finish('stop');
    }
    return finish('length');
  }

  private sample(state: Slot, constraint: TokenTrie | null, node: number, sampling: Sampling) {
    const logits = this.nextLogits(state.tokens);
    const allowed = constraint
      ? [...constraint.edgeToken.subarray(constraint.edgeStart[node], constraint.edgeStart[node + 1])]
      : Array.from(logits.keys());
    const greedy = allowed.reduce((best, id) => (logits[id] > logits[best] ? id : best), allowed[0]);
    const temperature = sampling.temperature || 1;
    const { probabilities } = headRow(logits, greedy, allowed, temperature);
    const token = sampling.temperature === 0 ? greedy : draw(probabilities, uniform(state, sampling));
    return { token, logprob: Math.log(probabilities.get(token)!) };
  }

  async score(batch: PackedBatch, options: { temperature: number; weights: 'policy' | 'reference' }) {
    const reference = this.adapter ? this.base : this.reference;
    const parameters = options.weights === 'policy' ? this.effective() : reference;
    return scoresOf(this.forward(batch, options.temperature, parameters));
  }

  async update(request: UpdateRequest, options: { temperature: number }) {
    const evaluation = new HostEvaluation(request);
    const scored = request.batches.map(({ batch }) => scoresOf(this.forward(batch, options.temperature)));
    if (evaluation.needsAll) for (const scores of scored) evaluation.addScores(scores);
    const total = zeros(this.parameters);
    const outputs: Awaited<ReturnType<HostEvaluation['part']>>['output'][] = [];
    for (const [index, { batch }] of request.batches.entries()) {
      const { seeds, output } = await evaluation.part(index, scored[index]);
      const seed = (k: number) => Array.from(output.logprob, (_, i) => seeds[2 * i + k]);
      const { gradients } = referenceForwardBackward(
        this.config,
        this.effective(),
        batch,
        seed(0),
        seed(1),
        options.temperature,
      );
      for (const [name, { data }] of this.trained(gradients)) {
        const sum = total.get(name)!.data;
        for (let i = 0; i < sum.length; i++) sum[i] += data[i];
      }
      outputs.push(output);
    }
    return { outputs, gradNorm: this.adamw(total, request.optimizer) };
  }

  /** torch's AdamW after clip_grad_norm_, on every parameter. Returns the norm before clipping. */
  private adamw(gradients: Gradients, s: OptimizerSettings): number {
    let squares = 0;
    for (const { data } of gradients.values()) for (const g of data) squares += g * g;
    const norm = Math.sqrt(squares);
    const clip = Math.min(1, s.maxGradNorm / (norm + 1e-6));
    const t = ++this.optimizerStep;
    for (const [name, { data }] of this.parameters) {
      const [g, m, v] = [gradients, this.expAvg, this.expAvgSq].map((map) => map.get(name)!.data);
      for (let i = 0; i < data.length; i++) {
        m[i] = s.beta1 * m[i] + (1 - s.beta1) * g[i] * clip;
        v[i] = s.beta2 * v[i] + (1 - s.beta2) * (g[i] * clip) ** 2;
        const denominator = Math.sqrt(v[i] / (1 - s.beta2 ** t)) + s.epsilon;
        data[i] -= s.learningRate * (s.weightDecay * data[i] + m[i] / (1 - s.beta1 ** t) / denominator);
      }
    }
    return norm;
  }

  async freezeReference() {
    this.reference = double(single(this.parameters));
  }

  async save(options: { reference?: boolean } = {}): Promise<PolicyState> {
    if (options.reference) return { tensors: single(this.reference), optimizerStep: 0 };
    const tensors = single(this.parameters);
    for (const [name, tensor] of single(this.expAvg)) tensors.set(`exp_avg.${name}`, tensor);
    for (const [name, tensor] of single(this.expAvgSq)) tensors.set(`exp_avg_sq.${name}`, tensor);
    return { tensors, optimizerStep: this.optimizerStep };
  }

  async load(state: PolicyState, options: { reference?: boolean } = {}): Promise<void> {
    const take = (prefix: string) =>
      double(new Map([...this.parameters.keys()].map((name) => [name, state.tensors.get(prefix + name)!])));
    if (options.reference) {
      this.reference = take('');
      return;
    }
    this.parameters = take('');
    const moments = state.tensors.has(`exp_avg.${[...this.parameters.keys()][0]}`);
    this.optimizerStep = moments ? state.optimizerStep : 0;
    this.expAvg = moments ? take('exp_avg.') : zeros(this.parameters);
    this.expAvgSq = moments ? take('exp_avg_sq.') : zeros(this.parameters);
  }

  destroy(): void {}
}

function child(trie: TokenTrie, node: number, token: number): number {
  for (let edge = trie.edgeStart[node]; edge < trie.edgeStart[node + 1]; edge++)
    if (trie.edgeToken[edge] === token) return trie.edgeNode[edge];
  throw new Error(`the trie has no edge ${token} at node ${node}`);
}

function uniform(state: Slot, sampling: Sampling): number {
  const words = Uint32Array.of(sampling.seed, sampling.stream, state.rowKey, state.tokens.length);
  pcg4d(words);
  return (words[0] + 0.5) / 2 ** 32;
}

function draw(probabilities: ReadonlyMap<number, number>, u: number): number {
  let left = u;
  let last = -1;
  for (const [token, probability] of probabilities) {
    if (probability > 0) last = token;
    left -= probability;
    if (left < 0) return token;
  }
  return last;
}
