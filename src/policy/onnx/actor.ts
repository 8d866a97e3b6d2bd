/**
 * Actor that runs on onnxruntime: it plays where there is no WebGPU, and serves as a baseline elsewhere. It accepts
 * ONNX models in the Hub's layout, and policies of this project, which it exports to ONNX first. Rows run one after
 * another; each has its own cache, which continues from the prompt shared by its group. A round is a whole turn of each
 * row.
 */

import { countParameters, type ModelConfig, parameterShapes } from '../config.ts';
import { allowedEntries, BatchError, predecessors } from '../engine/batch.ts';
import { slotsOf } from '../engine/generation/cache-pages.ts';
import { checkShapes } from '../formats/checkpoint.ts';
import type {
  Actor,
  AdmittedGroup,
  Capacity,
  Counters,
  GeneratedTurn,
  GenerateRow,
  PackedBatch,
  Sampling,
  Scores,
  TensorMap,
  TokenTrie,
} from '../policy.ts';
import type { OnnxBackend } from './runtime.ts';
import { sampleToken, scoreToken } from './sampler.ts';
import { type OnnxCache, OnnxSession, type OnnxSource } from './session.ts';

export interface OnnxActorOptions {
  capacity: Capacity;
  backend?: OnnxBackend;
}

/** Model in ONNX format, or weights to export. */
export type OnnxModelSource = OnnxSource | { config: ModelConfig; tensors: TensorMap };

interface Slot {
  prompt: Prompt;
  /**
   * Cache of prompt and own tokens; null until an own token has run, because the row then still uses the prompt's
   * cache.
   */
  cache: OnnxCache | null;
  /** Number of the slot's own tokens in the cache. */
  length: number;
  pending: number[];
  key: number;
}

interface Prompt {
  /** Key of the group. */
  groupKey: number;
  /** Number of slots that share the prompt. */
  holders: number;
  length: number;
  cache: OnnxCache;
  /** (V) logits after its last token. */
  logits: Float32Array;
}

/** Largest number of logits of one piece of a prompt. */
const mostLogits = 2 ** 24;

async function exported({ config, tensors }: { config: ModelConfig; tensors: TensorMap }): Promise<OnnxSource> {
  const { exportOnnx } = await import('./export.ts');
  const { externalFile } = await import('./graph.ts');
  const { model, data } = exportOnnx(config, tensors, { operators: 'standard' });
  if (!data.length) return { model };
  const bytes = new Uint8Array(await new Blob(data as BlobPart[]).arrayBuffer());
  return { model, external: [{ path: externalFile, data: bytes }] };
}

export class OnnxActor implements Actor {
  readonly capacity: Capacity;
  readonly vocabSize: number;
  readonly numParameters: number;
  private readonly slots = new Map<number, Slot>();
  private readonly prompts = new Map<number, Prompt>();
  private tokensPrefilled = 0;
  private tokensGenerated = 0;

  private constructor(
    private readonly session: OnnxSession,
    own: ModelConfig | null,
    options: OnnxActorOptions,
  ) {
    this.capacity = options.capacity;
    this.vocabSize = own?.vocabSize ?? session.vocabSize;
    this.numParameters = own ? countParameters(own) : 0;
  }

  static async create(source: OnnxModelSource, options: OnnxActorOptions): Promise<OnnxActor> {
    const own = 'config' in source ? source : null;
    if (own) checkShapes(parameterShapes(own.config), own.tensors);
    const files = 'config' in source ? await exported(source) : source;
    return new OnnxActor(await OnnxSession.create(files, options.backend ?? 'wasm'), own?.config ?? null, options);
  }

  counters(): Counters {
    const { tokensPrefilled, tokensGenerated } = this;
    const none = { tokensTrained: 0, dispatches: 0, submissions: 0, readbacks: 0, flops: 0, buffersCreated: 0 };
    return { tokensPrefilled, tokensGenerated, ...none };
  }

  async admit(groups: readonly AdmittedGroup[]): Promise<void> {
    for (const group of groups) {
      const prompt = this.prompts.get(group.key) ?? (await this.runPrompt(group));
      this.prompts.set(group.key, prompt);
      this.placeSlots(group, prompt);
    }
  }

  private async runPrompt({ key, prompt }: AdmittedGroup): Promise<Prompt> {
    const { groups, promptTokens } = this.capacity;
    if (this.prompts.size === groups) throw new BatchError(`${groups + 1} groups; at most ${groups} were planned.`);
    if (prompt.length === 0 || prompt.length > promptTokens)
      throw new BatchError(
        `The prompt of group ${key} has ${prompt.length} tokens; 1 to ${promptTokens} were planned.`,
      );
    const { cache, logits } = await this.extend(prompt, this.session.empty());
    return { groupKey: key, holders: 0, length: prompt.length, cache, logits };
  }

  private placeSlots({ slots, rowKeys }: AdmittedGroup, prompt: Prompt): void {
    const most = slotsOf(this.capacity);
    slots.forEach((index, i) => {
      if (index >= most || this.slots.has(index))
        throw new BatchError(`Slot ${index} is out of range (${most}) or used twice.`);
      this.slots.set(index, { prompt, cache: null, length: 0, pending: [], key: rowKeys[i] });
      prompt.holders++;
    });
  }

  release(slots: readonly number[]): void {
    for (const index of slots) {
      const { prompt, cache } = this.slot(index);
      cache?.release();
      this.slots.delete(index);
      if (--prompt.holders > 0) continue;
      prompt.cache.release();
      this.prompts.delete(prompt.groupKey);
    }
  }

  restart(index: number, rowKey: number): void {
    const slot = this.slot(index);
    slot.cache?.release();
    Object.assign(slot, { cache: null, length: 0, pending: [], key: rowKey });
  }

  /** Runs tokens after a cache, which it takes over. Returns the new cache and the logits after the last token. */
  private async extend(
    tokens: ArrayLike<number>,
    from: OnnxCache,
  ): Promise<{ cache: OnnxCache; logits: Float32Array }> {
    const all = Array.from(tokens);
    const piece = Math.max(1, Math.floor(mostLogits / Math.max(1, this.vocabSize)));
    let cache = from;
    let logits = new Float32Array(0);
    for (let at = 0; at < all.length; at += piece) {
      const next = await this.session.run(all.slice(at, at + piece), cache, 'last');
      cache.release();
      cache = next.cache;
      logits = next.logits.slice();
    }
    this.tokensPrefilled += all.length;
    return { cache, logits };
  }

  private slot(index: number): Slot {
    const slot = this.slots.get(index);
    if (!slot) throw new BatchError(`Slot ${index} is not held.`);
    return slot;
  }

  room(index: number): number {
    const { length, pending } = this.slot(index);
    return this.capacity.completionTokens - length - pending.length;
  }

  async generate(rows: readonly GenerateRow[], sampling: Sampling, signal?: AbortSignal): Promise<GeneratedTurn[]> {
    const turns: GeneratedTurn[] = [];
    for (const row of rows) turns.push(await this.generateRow(row, sampling, signal));
    return turns;
  }

  private async generateRow(row: GenerateRow, sampling: Sampling, signal?: AbortSignal): Promise<GeneratedTurn> {
    const slot = this.slot(row.slot);
    const append = [...slot.pending, ...row.append];
    const nothing = { tokens: new Int32Array(0), logprobs: new Float32Array(0) };
    if (slot.length + append.length >= this.capacity.completionTokens)
      return { ...nothing, leaf: -1, ending: 'context' };
    if (row.constraint && row.constraint.leaf[0] >= 0) {
      slot.pending = append;
      return { ...nothing, leaf: row.constraint.leaf[0], ending: 'leaf' };
    }
    if (append.length === 0 && slot.length > 0)
      throw new BatchError(`Slot ${row.slot} has nothing to run before sampling.`);
    return this.sampleTurn(slot, await this.runOwn(slot, append), row.constraint, sampling, signal);
  }

  /** Runs tokens in a slot. Returns the logits after the last token, or those after the prompt if `tokens` is empty. */
  private async runOwn(slot: Slot, tokens: readonly number[]): Promise<Float32Array> {
    slot.pending = [];
    if (tokens.length === 0) return slot.prompt.logits;
    const { cache, logits } = await this.extend(tokens, slot.cache ?? slot.prompt.cache.share());
    slot.cache = cache;
    slot.length += tokens.length;
    return logits;
  }

  private async sampleTurn(
    slot: Slot,
    first: Float32Array,
    constraint: TokenTrie | null,
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<GeneratedTurn> {
    const tokens: number[] = [];
    const logprobs: number[] = [];
    const most = constraint?.depth ?? sampling.maxTokens;
    let logits = first;
    let node = 0;
    let ending: GeneratedTurn['ending'] = 'length';
    while (tokens.length < most) {
      signal?.throwIfAborted();
      const edges = constraint && edgesOf(constraint, node);
      const position = slot.prompt.length + slot.length;
      const key = [sampling.seed, sampling.stream, slot.key, position] as const;
      const chosen = sampleToken(logits, edges, sampling, key);
      tokens.push(chosen.token);
      logprobs.push(chosen.logprob);
      this.tokensGenerated += 1;
      if (constraint) node = constraint.edgeNode[constraint.edgeStart[node] + chosen.index];
      const done = this.endingAfter(slot, chosen.token, constraint && constraint.leaf[node] >= 0, sampling);
      if (done) ending = done;
      if (done || tokens.length === most) break;
      logits = await this.runOwn(slot, [chosen.token]);
      this.tokensPrefilled -= 1;
    }
    slot.pending = tokens.slice(-1);
    const leaf = constraint ? constraint.leaf[node] : -1;
    return { tokens: Int32Array.from(tokens), logprobs: Float32Array.from(logprobs), leaf, ending };
  }

  private endingAfter(slot: Slot, token: number, atLeaf: boolean | null, sampling: Sampling) {
    if (atLeaf) return 'leaf';
    if (atLeaf === null && sampling.stopTokens.includes(token)) return 'stop';
    return slot.length + 1 >= this.capacity.completionTokens ? 'context' : null;
  }

  /** Scores a batch with the actor's weights, like a learner's `score`. */
  async score(batch: PackedBatch, options: { temperature: number }): Promise<Scores> {
    const N = batch.scored.length;
    const scores = { logprob: new Float32Array(N), entropy: new Float32Array(N) };
    const before = predecessors(batch);
    const targets = Array.from(batch.scored, (t) => batch.tokens[t]);
    if (batch.allowed) allowedEntries(batch.allowed, targets, this.vocabSize);
    const scoredAt = new Map<number, number[]>();
    before.forEach((row, n) => scoredAt.set(row, [...(scoredAt.get(row) ?? []), n]));
    await this.runSegments(batch, scoredAt, (n, logits) => {
      const { logprob, entropy } = scoreToken(logits, allowedAt(batch, n), targets[n], options.temperature);
      scores.logprob[n] = logprob;
      scores.entropy[n] = entropy;
    });
    return scores;
  }

  /**
   * Calls `take` for each scored n with the logits that predict it. A parent's cache is computed once for all its
   * children.
   */
  private async runSegments(
    batch: PackedBatch,
    scoredAt: ReadonlyMap<number, readonly number[]>,
    take: (n: number, logits: Float32Array) => void,
  ): Promise<void> {
    let parent = { index: -1, cache: this.session.empty() };
    for (const [index, segment] of batch.segments.entries()) {
      const from = segment.parent >= 0 && segment.parent === parent.index ? parent.cache.share() : this.session.empty();
      const cache = await this.runScored(batch, segment, from, scoredAt, take);
      if (segment.parent >= 0) cache.release();
      else {
        parent.cache.release();
        parent = { index, cache };
      }
    }
    parent.cache.release();
  }

  private async runScored(
    batch: PackedBatch,
    { start, end }: { start: number; end: number },
    from: OnnxCache,
    scoredAt: ReadonlyMap<number, readonly number[]>,
    take: (n: number, logits: Float32Array) => void,
  ): Promise<OnnxCache> {
    const piece = Math.max(1, Math.floor(mostLogits / Math.max(1, this.vocabSize)));
    let cache = from;
    for (let at = start; at < end; at += piece) {
      const tokens = batch.tokens.subarray(at, Math.min(at + piece, end));
      const next = await this.session.run(tokens, cache, 'all');
      cache.release();
      cache = next.cache;
      const width = next.logits.length / tokens.length;
      for (let i = 0; i < tokens.length; i++)
        for (const n of scoredAt.get(at + i) ?? []) take(n, next.logits.subarray(i * width, (i + 1) * width));
    }
    return cache;
  }

  destroy(): void {
    this.release([...this.slots.keys()]);
    void this.session.destroy();
  }
}

const edgesOf = (trie: TokenTrie, node: number) =>
  trie.edgeToken.subarray(trie.edgeStart[node], trie.edgeStart[node + 1]);

/** Allowed tokens of row n, or null for the whole vocabulary. */
function allowedAt({ allowed }: PackedBatch, n: number): Int32Array | null {
  if (!allowed || allowed.offsets[n] === allowed.offsets[n + 1]) return null;
  return allowed.tokens.subarray(allowed.offsets[n], allowed.offsets[n + 1]);
}
