/**
 * Texts among the tensors of a state. A state holds 32-bit floats and refuses values that are not finite, so a tensor
 * has three bytes of the text's UTF-8 in each value, as a whole number below 2^24.
 */
import { keptPrefix } from '../moments.ts';
import type { TensorMap } from '../policy.ts';

const textsPrefix = `${keptPrefix}text.`;

/** The first two values are the number of bytes: its lower 24 bits, and the rest. */
function packed(text: string): Float32Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  const out = new Float32Array(2 + Math.ceil(bytes.length / 3));
  out[0] = bytes.length % 2 ** 24;
  out[1] = Math.floor(bytes.length / 2 ** 24);
  for (let i = 0; i < bytes.length; i++) out[2 + Math.floor(i / 3)] += bytes[i] * 256 ** (i % 3);
  return out;
}

function unpacked(values: Float32Array): string {
  const bytes = new Uint8Array(values[0] + values[1] * 2 ** 24);
  // The assignment keeps the lowest eight bits of the whole part.
  for (let i = 0; i < bytes.length; i++) bytes[i] = values[2 + Math.floor(i / 3)] / 256 ** (i % 3);
  return new TextDecoder().decode(bytes);
}

export function saveTexts(texts: ReadonlyMap<string, string>, tensors: TensorMap): void {
  for (const [name, text] of texts) {
    const data = packed(text);
    tensors.set(textsPrefix + name, { shape: [data.length], data });
  }
}

export function loadTexts(texts: Map<string, string>, tensors: TensorMap): void {
  texts.clear();
  for (const [name, { data }] of tensors)
    if (name.startsWith(textsPrefix)) texts.set(name.slice(textsPrefix.length), unpacked(data));
}
