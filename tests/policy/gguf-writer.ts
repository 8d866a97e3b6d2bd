/** Writes GGUF files for the tests, from the format's description (ggml's page on GGUF), version 3. */
import { narrowF16 } from '../../src/policy/formats/safetensors.ts';

/** A number is written as u32 or f32, a list of numbers as i32. */
type GgufWritten = string | number | boolean | string[] | number[] | { u64: number } | { f64: number };

/** ggml's numbers of the types that are written. */
export const ggml = { F32: 0, F16: 1, Q4_0: 2, Q4_1: 3, Q8_0: 8, Q6_K: 14, IQ3_S: 21 } as const;

export interface GgufTensor {
  name: string;
  /** Shape in Hugging Face's order. */
  shape: readonly number[];
  type: number;
  bytes: Uint8Array;
}

class Bytes {
  private readonly parts: Uint8Array[] = [];
  length = 0;

  add(bytes: Uint8Array): this {
    this.parts.push(bytes);
    this.length += bytes.length;
    return this;
  }

  private fixed(size: number, write: (view: DataView) => void): this {
    const view = new DataView(new ArrayBuffer(size));
    write(view);
    return this.add(new Uint8Array(view.buffer));
  }

  u32 = (value: number) => this.fixed(4, (view) => view.setUint32(0, value, true));
  u64 = (value: number) => this.fixed(8, (view) => view.setBigUint64(0, BigInt(value), true));
  f64 = (value: number) => this.fixed(8, (view) => view.setFloat64(0, value, true));
  f32 = (value: number) => this.fixed(4, (view) => view.setFloat32(0, value, true));
  bool = (value: boolean) => this.add(Uint8Array.of(value ? 1 : 0));

  text(value: string): this {
    const bytes = new TextEncoder().encode(value);
    return this.u64(bytes.length).add(bytes);
  }

  pad(to: number): this {
    return this.add(new Uint8Array((to - (this.length % to)) % to));
  }

  join(): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}

function writeValue(out: Bytes, value: GgufWritten) {
  if (typeof value === 'string') out.u32(8).text(value);
  else if (typeof value === 'boolean') out.u32(7).bool(value);
  else if (typeof value === 'number') Number.isInteger(value) ? out.u32(4).u32(value) : out.u32(6).f32(value);
  else if ('u64' in value) out.u32(10).u64(value.u64);
  else if ('f64' in value) out.u32(12).f64(value.f64);
  else {
    const isText = typeof value[0] === 'string';
    out
      .u32(9)
      .u32(isText ? 8 : 5)
      .u64(value.length);
    for (const each of value) isText ? out.text(each as string) : out.u32(each as number);
  }
}

export type GgufKeys = { [key: string]: GgufWritten };

export function writeGguf(metadata: GgufKeys, tensors: readonly GgufTensor[]): Uint8Array<ArrayBuffer> {
  const out = new Bytes()
    .add(new TextEncoder().encode('GGUF'))
    .u32(3)
    .u64(tensors.length)
    .u64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) writeValue(out.text(key), value);
  let offset = 0;
  for (const { name, shape, type, bytes } of tensors) {
    out.text(name).u32(shape.length);
    for (const size of [...shape].reverse()) out.u64(size);
    out.u32(type).u64(offset);
    offset += Math.ceil(bytes.length / 32) * 32;
  }
  out.pad(32);
  for (const { bytes } of tensors) out.add(bytes).pad(32);
  return out.join();
}

export const f32Bytes = (values: Float32Array) => new Uint8Array(values.slice().buffer);
export const f16Bytes = (values: Float32Array) => new Uint8Array(narrowF16(values).buffer as ArrayBuffer);

/** llama.cpp's permutation of q and k: reshape (heads, 2, d / 2, in), swap the middle two. */
export function permute(values: Float32Array, heads: number, columns: number): Float32Array {
  const headDim = values.length / heads / columns;
  const out = new Float32Array(values.length);
  let to = 0;
  for (let head = 0; head < heads; head++)
    for (let pair = 0; pair < headDim / 2; pair++)
      for (let half = 0; half < 2; half++) {
        const from = (head * headDim + half * (headDim / 2) + pair) * columns;
        out.set(values.subarray(from, from + columns), to);
        to += columns;
      }
  return out;
}
