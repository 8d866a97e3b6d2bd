/** GGUF blocks compared with bytes and values of the original implementation (golden/model/quant). */
import { describe, expect, it } from 'vitest';
import { decodeBlocks } from '../../src/policy/formats/ggml-blocks.ts';
import { ggml } from './gguf-writer.ts';
import { goldenTensors, hasGolden } from './golden-files.ts';

describe.skipIf(!hasGolden)('blocks of the original', () => {
  it.each(['Q4_0', 'Q8_0'] as const)('%s have its values', (type) => {
    const tensors = goldenTensors('quant.safetensors');
    const name = type.toLowerCase();
    const values = decodeBlocks(ggml[type], tensors.get(`${name}.bytes`)!.data as Uint8Array);
    const expected = tensors.get(`${name}.dequant`)!.data as Float32Array;
    expect(values.length).toBe(64 * 128);
    expect([...values]).toEqual([...expected]);
  });
});
