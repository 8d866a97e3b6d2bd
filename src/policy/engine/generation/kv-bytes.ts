/**
 * K/V rows as bytes: the format that shaders/rope_forward.wgsl writes and shaders/kv1.wgsl reads, in plain TypeScript.
 * Each head of a row is stored as `headDim` signed bytes, packed four to a 32-bit word, and one float, the scale: the
 * head's largest magnitude divided by 127.
 */

/** Bytes of one head of a row, key or value. */
const bytesPerRow = (headDim: number) => headDim + 4;

/** Packs heads of `headDim` floats as bytes. The error of a value is at most half a scale. */
export function packRows(rows: Float32Array, headDim: number): Uint32Array<ArrayBuffer> {
  const heads = rows.length / headDim;
  const width = bytesPerRow(headDim);
  const out = new Uint8Array(heads * width);
  const view = new DataView(out.buffer);
  for (let h = 0; h < heads; h++) {
    const head = rows.subarray(h * headDim, (h + 1) * headDim);
    const largest = head.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    const scale = Math.fround(largest / 127);
    for (let d = 0; d < headDim; d++) view.setInt8(h * width + d, byteOf(head[d], scale));
    view.setFloat32(h * width + headDim, scale, true);
  }
  return new Uint32Array(out.buffer);
}

function byteOf(value: number, scale: number): number {
  if (scale === 0) return 0;
  return Math.max(-127, Math.min(127, Math.round(value / scale)));
}

export function unpackRows(words: Uint32Array, headDim: number): Float64Array {
  const width = bytesPerRow(headDim);
  const view = new DataView(words.buffer, words.byteOffset, words.byteLength);
  const heads = words.byteLength / width;
  const out = new Float64Array(heads * headDim);
  for (let h = 0; h < heads; h++) {
    const scale = view.getFloat32(h * width + headDim, true);
    for (let d = 0; d < headDim; d++) out[h * headDim + d] = view.getInt8(h * width + d) * scale;
  }
  return out;
}
