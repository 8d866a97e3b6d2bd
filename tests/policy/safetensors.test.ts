import { describe, expect, it } from 'vitest';
import { parseConfig, writeConfig } from '../../src/policy/config.ts';
import { CheckpointError, loadCheckpoint, saveCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import {
  narrowBf16,
  narrowF16,
  readMetadata,
  readSafetensors,
  SafetensorsError,
  toFloat32,
  widenBf16,
  widenF16,
  writeSafetensors,
} from '../../src/policy/formats/safetensors.ts';
import { initWeights, normals } from '../../src/policy/weights/init.ts';

/** A file with this header and `dataBytes` bytes of data; `claimed` replaces the stored length of the header. */
function file(header: unknown, dataBytes = 0, claimed?: number): Uint8Array {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + dataBytes);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(claimed ?? json.length), true);
  bytes.set(json, 8);
  return bytes;
}

const f32 = (shape: number[], from: number, to: number) => ({ dtype: 'F32', shape, data_offsets: [from, to] });

describe('readSafetensors', () => {
  it.each([0, 1, 2, 3])('reads bytes that begin %d bytes into their memory, on Node those of a Buffer', (offset) => {
    const whole = writeSafetensors(new Map([['w', { shape: [2], data: Float32Array.of(1.5, -2) }]]));
    const memory = new ArrayBuffer(whole.length + offset);
    const bytes = globalThis.Buffer ? Buffer.from(memory, offset) : new Uint8Array(memory, offset);
    bytes.set(whole);
    expect([...readSafetensors(bytes).get('w')!.data]).toEqual([1.5, -2]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['fewer than eight bytes', new Uint8Array(5), /8 bytes of header length; this file has only 5 bytes/],
    [
      'a pointer of git-lfs',
      new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n'),
      /The file is a git-lfs pointer, not the file itself: run git lfs pull/,
    ],
    ['a header longer than the file', file('{}', 0, 4000), /claims 4000 bytes but the file has 10/],
    ['an absurd header', file('{}', 0, 200_000_000), /claims 200000000 bytes, more than the 10000000/],
    ['a header that is not JSON', file('{"a":'), /not JSON/],
    ['a header that is a list', file('[1]'), /not a JSON object/],
    ['a header of broken text', file('').fill(0xff, 8), /not a JSON object|not JSON/],
    [
      'an unknown dtype',
      file({ a: { dtype: 'F8', shape: [1], data_offsets: [0, 1] } }, 1),
      /a: dtype "F8" is not read; those read are F64/,
    ],
    ['a negative size', file({ a: f32([-1], 0, 4) }, 4), /a: shape \[-1\]/],
    ['a missing shape', file({ a: { dtype: 'F32', data_offsets: [0, 4] } }, 4), /a: shape/],
    ['missing offsets', file({ a: { dtype: 'F32', shape: [1] } }, 4), /a: data_offsets/],
    ['data that was cut short', file({ w: f32([2, 3], 0, 24) }, 20), /w: bytes 0 to 24 lie outside the 20 bytes/],
    ['a shape of another size', file({ w: f32([2, 3], 0, 20) }, 20), /w: shape \[2,3\] of F32 needs 24 bytes/],
    ['reversed offsets', file({ w: f32([1], 8, 4) }, 8), /w: bytes 8 to 4/],
    ['an overlap', file({ a: f32([2], 0, 8), b: f32([1], 4, 8) }, 8), /b: begins at byte 4, inside a, which ends at 8/],
    ['a hole', file({ a: f32([1], 0, 4), b: f32([1], 8, 12) }, 12), /b: begins at byte 8, leaving a hole after a/],
    // github.com/safetensors/safetensors/issues/401
    [
      'a name that is listed twice',
      file(
        '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}',
        8,
      ),
      /a: begins at byte 4, leaving a hole after the header, which ends at 0; the header lists a name twice/,
    ],
    ['bytes after the last', file({ a: f32([1], 0, 4) }, 6), /2 bytes after a \(which ends at 4\)/],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => readSafetensors(bytes)).toThrow(SafetensorsError);
    expect(() => readSafetensors(bytes)).toThrow(message);
  });

  it('refuses a real file truncated at any point', () => {
    const whole = writeSafetensors(new Map([['w', { shape: [3, 5], data: normals(15, 1, 'w', 1) }]]));
    for (let length = 0; length < whole.length; length++)
      expect(() => readSafetensors(whole.subarray(0, length)), `cut at ${length}`).toThrow(SafetensorsError);
    expect(readSafetensors(whole).size).toBe(1);
  });

  it('reads back several dtypes, an empty tensor, a scalar, unaligned bytes', () => {
    const tensors = new Map([
      ['ids', { shape: [3], data: Int32Array.from([-1, 0, 2 ** 31 - 1]) }],
      ['w', { shape: [2, 2], data: Float32Array.from([1.5, -0, 3.25e-40, Number.POSITIVE_INFINITY]) }],
      ['exact', { shape: [1], data: Float64Array.from([Math.PI]) }],
      ['none', { shape: [0, 4], data: new Float32Array(0) }],
      ['scalar', { shape: [], data: Float32Array.from([7]) }],
    ]);
    const bytes = writeSafetensors(tensors, { format: 'pt' });
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    for (const source of [bytes, shifted.subarray(1)]) {
      const read = readSafetensors(source);
      for (const [name, { shape, data }] of tensors) {
        expect(read.get(name)!.shape).toEqual(shape);
        expect(read.get(name)!.data).toEqual(data);
      }
      expect(readMetadata(source)).toEqual({ format: 'pt' });
    }
  });

  it('refuses to write values that do not fill their shape', () => {
    expect(() => writeSafetensors(new Map([['w', { shape: [2, 3], data: new Float32Array(5) }]]))).toThrow(/w: .*6.*5/);
  });
});

const bits = (value: number) => new Uint32Array(Float32Array.of(value).buffer)[0];

describe('half precision', () => {
  it('widens every bf16 exactly, and narrows it back', () => {
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const wide = widenBf16(all);
    const back = narrowBf16(wide);
    for (let i = 0; i < 65536; i++) {
      if (Number.isNaN(wide[i])) expect((back[i] & 0x7f80) === 0x7f80 && (back[i] & 0x7f) !== 0).toBe(true);
      else if (back[i] !== i || bits(wide[i]) !== i * 65536) throw new Error(`bf16 ${i} became ${back[i]}`);
    }
  });

  it.each([
    [1 + 2 ** -8, 1, 'a tie goes to the even neighbour below'],
    [1 + 3 * 2 ** -8, 1 + 2 ** -6, 'a tie goes to the even neighbour above'],
    [1 + 2 ** -8 + 2 ** -20, 1 + 2 ** -7, 'just over a tie goes up'],
    [-1 - 2 ** -8, -1, 'the sign changes nothing'],
    [3.4e38, Number.POSITIVE_INFINITY, 'too large becomes infinite'],
  ])('rounds %f to %f: %s', (value, expected) => {
    expect(widenBf16(narrowBf16(Float32Array.of(value)))[0]).toBe(expected);
  });

  it.each([
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x0400, 2 ** -14],
    [0x03ff, 1023 * 2 ** -24],
    [0x0001, 2 ** -24],
    [0x8000, -0],
    [0x7c00, Number.POSITIVE_INFINITY],
    [0x7e00, Number.NaN],
    [0x3555, 0.333251953125],
  ])('widens f16 0x%s to %f', (half, expected) => {
    expect(widenF16(Uint16Array.of(half))[0]).toBe(expected);
  });

  it('refuses integers as weights', () => {
    expect(() => toFloat32({ dtype: 'I32', shape: [1], data: Int32Array.of(1) }, 'ids')).toThrow(/ids.*I32/);
  });
});

const config = parseConfig({
  model_type: 'qwen2',
  vocab_size: 7,
  hidden_size: 8,
  intermediate_size: 12,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  tie_word_embeddings: true,
});

describe('checkpoints', () => {
  const tensors = initWeights(config, { seed: 1, std: 0.1 });
  const saved = (change?: (weights: typeof tensors) => void) => {
    const weights = new Map(tensors);
    change?.(weights);
    return { config: writeConfig(config), model: writeSafetensors(weights) };
  };

  it.each(['float32', 'bfloat16'] as const)('saves and loads %s', (dtype) => {
    const files = saveCheckpoint(config, tensors, '{"tokenizer":1}', dtype);
    const loaded = loadCheckpoint({
      config: files['config.json'],
      model: files['model.safetensors'],
      tokenizer: files['tokenizer.json'],
    });
    expect(loaded.tokenizer).toBe('{"tokenizer":1}');
    expect([...loaded.tensors.keys()]).toEqual([...tensors.keys()]);
    for (const [name, { data }] of tensors)
      expect(loaded.tensors.get(name)!.data).toEqual(dtype === 'float32' ? data : widenBf16(narrowBf16(data)));
  });

  it('joins split files and refuses a tensor that is in two of them', () => {
    const entries = [...tensors];
    const part = (from: number, to?: number) => writeSafetensors(new Map(entries.slice(from, to)));
    expect(loadCheckpoint({ config: writeConfig(config), model: [part(0, 5), part(5)] }).tensors.size).toBe(
      tensors.size,
    );
    expect(() => loadCheckpoint({ config: writeConfig(config), model: [part(0, 6), part(5)] })).toThrow(
      /more than one/,
    );
  });

  it('lists missing, extra and wrong-shaped tensors', () => {
    const bad = saved((weights) => {
      weights.delete('model.norm.weight');
      weights.set('model.layers.2.mlp.up_proj.weight', { shape: [1], data: new Float32Array(1) });
      weights.set('model.layers.0.mlp.up_proj.weight', { shape: [8, 12], data: new Float32Array(96) });
    });
    expect(() => loadCheckpoint(bad)).toThrow(CheckpointError);
    expect(() => loadCheckpoint(bad)).toThrow(
      /up_proj\.weight is \[8,12\], expected \[12,8\].*missing: model\.norm\.weight \[8\].*model\.layers\.2\.mlp\.up_proj/,
    );
  });

  it('ignores a tied head that repeats the embedding, takes one that differs as the head', () => {
    const embedding = tensors.get('model.embed_tokens.weight')!;
    expect(loadCheckpoint(saved((w) => w.set('lm_head.weight', embedding))).tensors.has('lm_head.weight')).toBe(false);
    const other = { shape: embedding.shape, data: embedding.data.map((x) => x + 1) };
    const own = loadCheckpoint(saved((w) => w.set('lm_head.weight', other)));
    expect(own.config.tieWordEmbeddings).toBe(false);
    expect(own.tensors.get('lm_head.weight')!.data).toEqual(other.data);
  });

  it("takes a tied model's only table as its embedding, and a base model's names", () => {
    const embedding = tensors.get('model.embed_tokens.weight')!;
    const renamed = (rename: (name: string) => string) =>
      saved((weights) => {
        const all = [...weights];
        weights.clear();
        for (const [name, tensor] of all) weights.set(rename(name), tensor);
      });
    const head = loadCheckpoint(renamed((name) => name.replace('model.embed_tokens', 'lm_head')));
    expect(head.tensors.get('model.embed_tokens.weight')!.data).toEqual(embedding.data);
    expect(head.config.tieWordEmbeddings).toBe(true);
    const bare = loadCheckpoint(renamed((name) => name.replace(/^model\./, '')));
    expect(bare.tensors).toEqual(loadCheckpoint(saved()).tensors);
    const twice = saved((weights) => weights.set('norm.weight', weights.get('model.norm.weight')!));
    expect(() => loadCheckpoint(twice)).toThrow(/model\.norm\.weight and norm\.weight are the same parameter/);
  });

  it('reports a config.json that is not JSON', () => {
    expect(() => loadCheckpoint({ ...saved(), config: '{' })).toThrow(/config\.json is not JSON/);
  });

  it('refuses to save half a model', () => {
    const half = new Map([...tensors].slice(1));
    expect(() => saveCheckpoint(config, half, null)).toThrow(/missing: model\.embed_tokens/);
  });
});

describe('initWeights', () => {
  it('depends on the seed and the name, and repeats', () => {
    expect(normals(9, 1, 'a', 1)).toEqual(normals(9, 1, 'a', 1));
    expect(normals(9, 1, 'a', 1)).not.toEqual(normals(9, 2, 'a', 1));
    expect(normals(9, 1, 'a', 1)).not.toEqual(normals(9, 1, 'b', 1));
  });

  it('gives these exact bits in every browser', () => {
    expect([...new Uint32Array(normals(4, 7, 'model.embed_tokens.weight', 0.02).buffer)]).toMatchInlineSnapshot(`
      [
        3170266102,
        999494753,
        3171626818,
        3145847469,
      ]
    `);
  });

  it('has the moments of a normal distribution', () => {
    const n = 200_000;
    const values = normals(n, 3, 'x', 2);
    const moment = (power: number) => values.reduce((sum, x) => sum + (x / 2) ** power, 0) / n;
    // Five standard errors of each estimate; the fourth moment of a sum of eight uniforms is 3 - 0.15.
    expect(Math.abs(moment(1))).toBeLessThan(5 / Math.sqrt(n));
    expect(Math.abs(moment(2) - 1)).toBeLessThan((5 * Math.sqrt(2)) / Math.sqrt(n));
    expect(Math.abs(moment(3))).toBeLessThan((5 * Math.sqrt(15)) / Math.sqrt(n));
    expect(Math.abs(moment(4) - 2.85)).toBeLessThan((5 * Math.sqrt(96)) / Math.sqrt(n));
  });

  it('sets norms to 1, biases to 0, and scales down what writes to the residual stream', () => {
    const tensors = initWeights({ ...config, hiddenSize: 64, intermediateSize: 128 }, { seed: 1, std: 0.1 });
    const get = (name: string) => tensors.get(`model.layers.1.${name}`)!.data;
    expect(get('input_layernorm.weight').every((x) => x === 1)).toBe(true);
    expect(get('self_attn.q_proj.bias').every((x) => x === 0)).toBe(true);
    const rms = (x: Float32Array) => Math.sqrt(x.reduce((sum, y) => sum + y * y, 0) / x.length);
    expect(rms(get('mlp.up_proj.weight'))).toBeCloseTo(0.1, 2);
    expect(rms(get('mlp.down_proj.weight'))).toBeCloseTo(0.05, 2);
  });
});

describe('narrowing to f16', () => {
  it('returns every f16 value unchanged', () => {
    const bits = Uint16Array.from({ length: 65536 }, (_, i) => i).filter((half) => (half & 0x7fff) <= 0x7c00);
    expect(narrowF16(widenF16(bits))).toEqual(bits);
    expect(narrowF16(Float32Array.of(Number.NaN))[0] & 0x7fff).toBeGreaterThan(0x7c00);
  });

  it('rounds to the nearest, ties to even', () => {
    const halves = widenF16(Uint16Array.from({ length: 0x7c00 }, (_, i) => i));
    for (let i = 0; i + 1 < halves.length; i += 7) {
      const middle = (halves[i] + halves[i + 1]) / 2;
      const gap = halves[i + 1] - halves[i];
      expect(narrowF16(Float32Array.of(middle))[0]).toBe(i % 2 ? i + 1 : i);
      expect(narrowF16(Float32Array.of(middle - gap / 4))[0]).toBe(i);
      expect(narrowF16(Float32Array.of(-middle - gap / 4))[0]).toBe(0x8000 | (i + 1));
    }
    expect(narrowF16(Float32Array.of(65519, 65520, -1e9))).toEqual(Uint16Array.of(0x7bff, 0x7c00, 0xfc00));
  });
});

it.each([
  ['PK\u0003\u0004abcdef', 'a zip archive, as PyTorch saves'],
  ['GGUF\u0003\0\0\0abc', 'a GGUF file'],
  ['<!DOCTYPE html>', 'begins with "<!DOCTYP"'],
  ['{"error":"Repository not found"}', 'begins with "{\\"error\\""'],
])('a file of another kind is named: %j', (text, words) => {
  expect(() => readSafetensors(new TextEncoder().encode(text))).toThrow(words);
});
