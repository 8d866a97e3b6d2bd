/**
 * Decoded blocks of every ggml type, compared bit for bit with the Python package `gguf` 0.19.0
 * (`gguf.quants.dequantize`) on 200 pseudo-random blocks each: SHA-256 of the f32 bytes, and the first three values.
 */
import { describe, expect, it } from 'vitest';
import { blockTypes, decodeBlocks, typeName } from '../../src/policy/formats/ggml-blocks.ts';

/** Name, number, bytes of a block, offsets of its f16 numbers, and the package's values. */
const cases: [string, number, number, number[], string, number[]][] = [
  [
    'Q4_0',
    2,
    18,
    [0],
    'fa28e33d43d000cdd9afb6bf6ab81285594c0a379dbcdfe3eace19a20215b10a',
    [-3.088134765625, -2.64697265625, -2.205810546875],
  ],
  [
    'Q4_1',
    3,
    20,
    [0, 2],
    '3065032e262ac4d390bfd1cd6e339a8ae8ed01448ced590914d5c5a165603489',
    [-0.6614603996276855, -1.5437846183776855, -1.5437846183776855],
  ],
  [
    'Q5_0',
    6,
    22,
    [0],
    '5cd615dfbf26b001cca86dd186348827364dc2841e1abd8580692b33dd3ba08d',
    [0.441162109375, 0.055145263671875, -0.11029052734375],
  ],
  [
    'Q5_1',
    7,
    24,
    [0, 2],
    '655184ffd336bfa2c5fc452af8d53e489f0061939129b0c3176998cfe303052b',
    [-0.04160130023956299, -0.19325077533721924, -0.38625919818878174],
  ],
  [
    'Q8_0',
    8,
    34,
    [0],
    'c34a27967ce4e0b0fd0fb7dc737247e9f95b326dc1618998b5e97421845d68b5',
    [-0.8340721130371094, 0.2205810546875, 0.20679473876953125],
  ],
  [
    'Q2_K',
    10,
    84,
    [80, 82],
    'b52dead5c7da101f7d43c25f31cfb99e436d6c33e87fd432d082539fc1744306',
    [-0.3096771240234375, 0.0, 0.0],
  ],
  [
    'Q3_K',
    11,
    110,
    [108],
    '23b88c5aea340997276ea4d3662f632d208c48e4d5d79eae6401cb939f5784b9',
    [3.40087890625, 5.101318359375, 1.700439453125],
  ],
  [
    'Q4_K',
    12,
    144,
    [0, 2],
    '5937079e546047b0da875e438d28153227d989d101bccb1e190b07202ffa9519',
    [-0.7109487056732178, -0.5515444278717041, -0.6312465667724609],
  ],
  [
    'Q5_K',
    13,
    176,
    [0, 2],
    'e8aee6b1a956f1f1f4a11372db500f0b02e8a366325b6201714dd65b044a0a5d',
    [-13.280414581298828, -13.39156723022461, -13.437880516052246],
  ],
  [
    'Q6_K',
    14,
    210,
    [208],
    '40e5388e3d052b28b879d20a787cf8ba7dff3ec4247709276365232ea22d72ca',
    [-1.1939830780029297, -0.6321086883544922, 0.21070289611816406],
  ],
  [
    'IQ4_NL',
    20,
    18,
    [0],
    'd9086687de7954ca4a3271f1268259adff0c04790c640df73c335554f7a7812a',
    [-5.84539794921875, -1.43377685546875, -9.81585693359375],
  ],
  [
    'IQ4_XS',
    23,
    136,
    [0],
    '0e62e91396d550be1139b52ad50b561345159102f84afeef6a51c7657c06701f',
    [21.18956756591797, 0.39980316162109375, 45.177757263183594],
  ],
  [
    'BF16',
    30,
    2,
    [0],
    '5be7c7dd365f9be559805f66198ab8e524e1245744c4b76b97e205c700d74d84',
    [3.4332275390625e-5, 8.582806648804608e-27, 1.0288058868628282e-23],
  ],
  [
    'F16',
    1,
    2,
    [0],
    'adb94320b1b1a76cddb4bd1d05b7803d6d85ae2c977cf98df3271aeac9b8a6ba',
    [-0.88232421875, 0.11785888671875, 0.000118255615234375],
  ],
];

/** Bytes of a 32-bit xorshift generator. */
function stream(count: number, seed: number): Uint8Array {
  let s = seed;
  return Uint8Array.from({ length: count }, () => {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    return s >>> 24;
  });
}

/** Random blocks. A bit of each f16 number's exponent is cleared, so that it is finite. */
function randomBlocks(type: number, size: number, halves: readonly number[]): Uint8Array {
  const blocks = blockTypes[type].values === 1 ? 200 * 32 : 200;
  const bytes = stream(blocks * size, 1000 + type);
  for (let block = 0; block < blocks; block++) for (const at of halves) bytes[block * size + at + 1] &= 0xbf;
  return bytes;
}

async function sha256Of(values: Float32Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Float32Array(values)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

describe('blocks', () => {
  it.each(cases)('of %s have the values of the package gguf', async (name, type, size, halves, sha256, first) => {
    expect([typeName(type), blockTypes[type].bytes]).toEqual([name, size]);
    const values = decodeBlocks(type, randomBlocks(type, size, halves));
    expect([...values.slice(0, 3)]).toEqual(first);
    expect(await sha256Of(values)).toBe(sha256);
  });

  it('cover every type that is read', () => {
    const tested = cases.map(([name]) => name);
    const read = Object.values(blockTypes).map(({ name }) => name);
    expect(read.filter((name) => !tested.includes(name))).toEqual(['F32']);
  });
});
