/** Logits and greedy replies of a real model, the same on Node and in a page. */
import type { WasmDevice } from '../../../src/device/wasm/device.ts';
import type { PreparedModel } from '../../../src/models/loader.ts';
import { processorChoices } from '../../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../../src/policy/engine/model.ts';
import type { Adapter } from '../../../src/policy/formats/peft.ts';
import { inspected } from '../../golden/inspected-model.ts';
import { begin, wholeTurns } from '../../turns.ts';

/** Last tokens of each chat whose logits are compared, and tokens of a greedy reply. */
export const compared = 4;
export const replyTokens = 24;
const most = 256;

export function openForm(
  device: WasmDevice,
  { config, precision, pieces }: PreparedModel,
  adapter: Adapter | null,
): Promise<Model> {
  return Model.create(device, config, {
    capacity: {
      ...{ rows: 1, groups: 1, promptTokens: most, completionTokens: replyTokens + 1 },
      ...{ batchTokens: most, batchScored: 16 },
    },
    precision,
    choices: processorChoices,
    trainable: false,
    reference: false,
    ...(adapter && { adapter }),
    weights: pieces({ signal: new AbortController().signal }),
  });
}

/** Logits (chats, compared, V). */
export async function logitsOf(model: Model, chats: readonly Int32Array[]): Promise<Float32Array> {
  const V = model.vocabSize;
  const all = new Float32Array(chats.length * compared * V);
  for (const [i, tokens] of chats.entries()) {
    const segments = [{ start: 0, end: tokens.length, parent: -1 }];
    const logits = await inspected(model).logits({ tokens, segments, scored: new Int32Array(0), allowed: null });
    all.set(logits.subarray((tokens.length - compared) * V), i * compared * V);
  }
  return all;
}

export async function greedyOf(model: Model, chats: readonly Int32Array[], stop: number): Promise<number[][]> {
  const replies: number[][] = [];
  for (const prompt of chats) {
    await begin(model, [{ prompt, slots: [0], rowKeys: [0] }]);
    const row = { slot: 0, append: new Int32Array(0), constraint: null };
    const sampling = { temperature: 0, seed: 1, stream: 0, maxTokens: replyTokens, stopTokens: [stop] };
    const [turn] = await wholeTurns(model, [row], sampling);
    replies.push([...turn.tokens]);
  }
  return replies;
}

/** SHA-256 of the bytes, as hex digits. */
export async function hashOf({ buffer }: Float32Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', buffer as ArrayBuffer));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
