/**
 * Prompts held in the K/V cache, and trajectories (slots) that start from them. Runs on the CPU only; the GPU work is
 * in generation.ts.
 *
 * A sampled token that ends a turn has not been run through the model yet. It is kept as `pending` and runs with the
 * next turn's tokens.
 */
import { decodeChunk } from '../../plan/decoding-buffers.ts';
import type { AdmittedGroup, Capacity, GenerateRow, TokenTrie } from '../../policy.ts';
import { BatchError } from '../batch.ts';
import { CachePages, slotsOf } from './cache-pages.ts';

interface Prompt {
  /** Place in the cache. */
  index: number;
  length: number;
  /** Number of slots that share the prompt. */
  holders: number;
}

/** Turn that continues in the next round. */
interface OpenTurn {
  constraint: TokenTrie | null;
  node: number;
  tokens: number[];
  logprobs: number[];
}

export interface Slot {
  /** Key of its prompt. */
  prompt: number;
  group: number;
  promptLength: number;
  /** Number of the slot's own tokens in the cache. */
  length: number;
  pending: number[];
  key: number;
  turn: OpenTurn | null;
}

/** Prompt that is not in the cache yet, and its assigned place. */
export interface FreshPrompt {
  prompt: Int32Array;
  index: number;
}

export class Slots {
  readonly pages: CachePages;
  private readonly slots = new Map<number, Slot>();
  private readonly prompts = new Map<number, Prompt>();

  constructor(private readonly capacity: Capacity) {
    this.pages = new CachePages(capacity);
  }

  get(index: number): Slot {
    const slot = this.slots.get(index);
    if (!slot) throw new BatchError(`Slot ${index} is not held.`);
    return slot;
  }

  /** Free tokens left in a slot. */
  room(index: number): number {
    const { length, pending } = this.get(index);
    return this.capacity.completionTokens - length - pending.length;
  }

  /** Forgets a slot's own tokens. It keeps its pages, which the next tokens fill again. */
  restart(index: number, rowKey: number): void {
    Object.assign(this.get(index), { length: 0, pending: [], turn: null, key: rowKey });
  }

  /** True if `more` tokens would leave no room for a reply. */
  isFull({ length }: Slot, more: number): boolean {
    return length + more >= this.capacity.completionTokens;
  }

  /** Assigns places to prompts and slots. Returns the prompts that must be run. */
  place(groups: readonly AdmittedGroup[]): FreshPrompt[] {
    const fresh = groups.filter(({ key }) => !this.prompts.has(key));
    for (const { key, prompt } of fresh) this.placePrompt(key, prompt);
    for (const group of groups) this.placeSlots(group);
    return fresh.map(({ key, prompt }) => ({ prompt, index: this.prompts.get(key)!.index }));
  }

  private placePrompt(key: number, prompt: Int32Array): void {
    const { groups, promptTokens } = this.capacity;
    const used = new Set([...this.prompts.values()].map(({ index }) => index));
    if (used.size === groups) throw new BatchError(`${groups + 1} groups; at most ${groups} were planned.`);
    if (prompt.length === 0 || prompt.length > promptTokens) {
      throw new BatchError(
        `The prompt of group ${key} has ${prompt.length} tokens; 1 to ${promptTokens} were planned.`,
      );
    }
    let index = 0;
    while (used.has(index)) index++;
    this.pages.takePrompt(index, prompt.length);
    this.prompts.set(key, { index, length: prompt.length, holders: 0 });
  }

  private placeSlots({ key, slots, rowKeys }: AdmittedGroup): void {
    const prompt = this.prompts.get(key)!;
    const most = slotsOf(this.capacity);
    const { index: group, length: promptLength } = prompt;
    slots.forEach((slot, i) => {
      if (slot >= most || this.slots.has(slot))
        throw new BatchError(`Slot ${slot} is out of range (${most}) or used twice.`);
      const empty = { length: 0, pending: [], turn: null };
      this.slots.set(slot, { prompt: key, group, promptLength, key: rowKeys[i], ...empty });
      prompt.holders++;
    });
  }

  /** Releases slots. A prompt is released with its last slot. */
  release(slots: readonly number[]): void {
    for (const index of slots) {
      const { prompt: key } = this.get(index);
      this.slots.delete(index);
      this.pages.releaseSlot(index);
      const prompt = this.prompts.get(key)!;
      if (--prompt.holders > 0) continue;
      this.prompts.delete(key);
      this.pages.releasePrompt(prompt.index);
    }
  }

  /** Number of these groups, counted from the first, for which pages are free now. */
  admits(groups: readonly AdmittedGroup[]): number {
    return this.pages.promptsThatFit(groups.map(({ key, prompt }) => (this.prompts.has(key) ? 0 : prompt.length)));
  }

  /** Takes the pages of a row's next round. Returns false if the row must wait. */
  grow({ slot: index, append }: GenerateRow): boolean {
    const slot = this.get(index);
    const newTokens = slot.pending.length + (slot.turn ? 0 : append.length);
    return this.pages.growSlot(index, this.rowsAfter(slot.length + newTokens + decodeChunk));
  }

  /** Number of own cache rows of a trajectory with `tokens` tokens. */
  rowsAfter(tokens: number): number {
    return Math.min(tokens, this.capacity.completionTokens);
  }

  /** Range of cache rows of a slot's prompt. */
  prefix({ group, promptLength }: Slot): [number, number] {
    const base = this.pages.promptBase(group);
    return [base, base + promptLength];
  }
}
