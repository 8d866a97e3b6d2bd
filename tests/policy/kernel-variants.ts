// Kernels with the constants to test them with: every form that the engine's sizes choose, for the tests of each
// device.
import type { Constants } from '../../src/device/device.ts';
import { type TiledOptions, tiledConstants } from '../../src/policy/engine/attention.ts';
import { blockConstants, largeTile, packedConstants, smallTile } from '../../src/policy/engine/block-tiles.ts';
import { gatedLanes } from '../../src/policy/engine/quantized-operations.ts';

const attention = (H: number, KV: number, D: number): Constants => {
  const WIDTH = D % 4 === 0 ? 4 : 1;
  return { H, KV, D, WIDTH, E: D / WIDTH, SCALE_F: 1 / Math.sqrt(D) };
};
const rope = (H: number, KV: number, D: number, QK_NORM: number, KV8 = 0): Constants => ({
  ...{ H, KV, D, KV8 },
  ...{ QK_NORM, EPS_F: 1e-6 },
});

const tiled = (heads: number, kvHeads: number, headDim: number, options: Partial<TiledOptions>): Constants =>
  tiledConstants({ heads, kvHeads, headDim, eps: 0 }, { form: 'tiled', rows: 32, staged: 2, ...options });
const backward = (heads: number, kvHeads: number, headDim: number, options: Partial<TiledOptions> = {}) =>
  tiled(heads, kvHeads, headDim, { staged: 4, ...options });
const split = (heads: number, kvHeads: number, headDim: number, options: Partial<TiledOptions> = {}) =>
  tiled(heads, kvHeads, headDim, { rows: 8, split: 2, ...options });

/** Constants of a product that adds an adapter's second product, and of one that does not. */
const adapted = (fours: number): Constants => ({ LOW_RANK: 1, RANK_FOURS: fours });
const plain: Constants = { LOW_RANK: 0 };

/** 32 x 32 outputs: compiled by a software adapter in a fraction of the time of the engine's tiles. */
const tinyTile = { ...smallTile, across: 8, rowFours: 1 };
/** 64 x 128 outputs, with the loop over a step as a loop. */
const wideTile = { ...largeTile, down: 8, across: 16, unroll: 1 };

export const variants: [string, Constants][] = [
  ['matmul_nt', { ROWS: 8, LANES: 32, HAS_BIAS: 1, HAS_RESIDUAL: 0 }],
  ['matmul_nt', { ROWS: 4, LANES: 8, HAS_BIAS: 0, HAS_RESIDUAL: 1 }],
  ['matmul_nt_tiled', { HAS_BIAS: 1, HAS_RESIDUAL: 0 }],
  ['matmul_nt_tiled', { HAS_BIAS: 0, HAS_RESIDUAL: 1 }],
  ['matmul_nt_blocks', { ...blockConstants('NT', tinyTile), HAS_BIAS: 1, HAS_RESIDUAL: 1, ...plain }],
  ['matmul_nt_blocks', { ...blockConstants('NT', tinyTile), HAS_BIAS: 1, HAS_RESIDUAL: 1, ...adapted(1) }],
  ['matmul_nt_blocks', { ...blockConstants('NT', smallTile), HAS_BIAS: 1, HAS_RESIDUAL: 0, ...plain }],
  ['matmul_nt_blocks', { ...blockConstants('NT', largeTile), HAS_BIAS: 0, HAS_RESIDUAL: 1, ...plain }],
  ['matmul_nt_blocks', { ...blockConstants('NT', largeTile), HAS_BIAS: 0, HAS_RESIDUAL: 1, ...adapted(4) }],
  ['matmul_nt_blocks', { ...blockConstants('NT', wideTile), HAS_BIAS: 0, HAS_RESIDUAL: 1, ...plain }],
  ['matmul_nt_lanes', { ROWS: 1, LANES: 128, GROUPS: 1, HAS_BIAS: 0, HAS_RESIDUAL: 1 }],
  ['matmul_nt_lanes', { ROWS: 8, LANES: 128, GROUPS: 1, HAS_BIAS: 1, HAS_RESIDUAL: 0 }],
  ['matmul_nt_lanes', { ROWS: 8, LANES: 32, GROUPS: 4, HAS_BIAS: 0, HAS_RESIDUAL: 0 }],
  ['matmul_nt_scalar', { HAS_BIAS: 1, HAS_RESIDUAL: 1 }],
  ['matmul_nn', { ROWS: 8, LANES: 16, ACCUMULATE: 0 }],
  ['matmul_nn', { ROWS: 4, LANES: 8, ACCUMULATE: 1 }],
  ['matmul_nn_tiled', { ACCUMULATE: 0 }],
  ['matmul_nn_tiled', { ACCUMULATE: 1 }],
  ['matmul_nn_blocks', { ...blockConstants('NN', tinyTile), ACCUMULATE: 0 }],
  ['matmul_nn_blocks', { ...blockConstants('NN', smallTile), ACCUMULATE: 1 }],
  ['matmul_nn_blocks', { ...blockConstants('NN', largeTile), ACCUMULATE: 0 }],
  ['matmul_nn_blocks', { ...blockConstants('NN', wideTile), ACCUMULATE: 0 }],
  ['matmul_nn_scalar', { ACCUMULATE: 1 }],
  ['matmul_tn', { FOURS: 2, LANES: 8, ACCUMULATE: 0 }],
  ['matmul_tn', { FOURS: 4, LANES: 32, ACCUMULATE: 1 }],
  ['matmul_tn_tiled', { ACCUMULATE: 0 }],
  ['matmul_tn_tiled', { ACCUMULATE: 1 }],
  ['matmul_tn_blocks', { ...blockConstants('TN', tinyTile), ACCUMULATE: 1 }],
  ['matmul_tn_blocks', { ...blockConstants('TN', smallTile), ACCUMULATE: 0 }],
  ['matmul_tn_blocks', { ...blockConstants('TN', largeTile), ACCUMULATE: 1 }],
  ['matmul_tn_blocks', { ...blockConstants('TN', wideTile), ACCUMULATE: 1 }],
  ['matmul_tn_scalar', { ACCUMULATE: 0 }],
  ['matmul_tn_scalar', { ACCUMULATE: 1 }],
  ['reduce_partials', {}],
  ['embed_forward', {}],
  ['gather_rows', {}],
  ['scatter_rows', { SCALED: 0, WIDTH: 1, BITS: 32 }],
  ['scatter_rows', { SCALED: 1, WIDTH: 1, BITS: 32 }],
  ['scatter_rows', { SCALED: 1, WIDTH: 1, BITS: 4, MINIMUM: 0 }],
  ['scatter_rows', { SCALED: 1, WIDTH: 1, BITS: 8, MINIMUM: 0 }],
  ['scatter_rows', { SCALED: 1, WIDTH: 1, BITS: 4, MINIMUM: 1 }],
  ['rmsnorm_forward', { LANES: 1, EPS_F: 1e-5 }],
  ['rmsnorm_forward', { LANES: 64, EPS_F: 1e-6 }],
  ['rmsnorm_backward', { LANES: 1, HAS_RESIDUAL: 1 }],
  ['rmsnorm_backward', { LANES: 64, HAS_RESIDUAL: 0 }],
  ['rmsnorm_backward_weight', {}],
  ['column_sum', {}],
  ['lora_up', { ROWS: 4 }],
  ['lora_up_fours', { ROWS: 1 }],
  ['lora_up_fours', { ROWS: 8 }],
  // Fewer lanes than a part has fours, so that each takes several turns.
  ['lora_up_backward_lanes', { ROWS: 8, LANES: 8, GROUPS: 16 }],
  ['lora_up_backward_lanes', { ROWS: 8, LANES: 32, GROUPS: 4 }],
  ['lora_up_backward_weight_lanes', { FOURS: 2, LANES: 8, ACROSS: 16 }],
  ['lora_up_backward_both', { FOURS: 4, VECTORS: 16, SHARE: 4 }],
  ['lora_up_backward_both', { FOURS: 2, VECTORS: 8, SHARE: 8 }],
  ['lora_up_backward_both', { FOURS: 1, VECTORS: 4, SHARE: 16 }],
  ['lora_sum_blocks', {}],
  ['lora_norm_down', { ROWS: 1, LANES: 128, EPS_F: 1e-6 }],
  ['lora_norm_down', { ROWS: 4, LANES: 32, EPS_F: 0.5 }],
  ['lora_up_backward', { ROWS: 4 }],
  ['lora_up_backward_weight', {}],
  ['swiglu_forward', { WIDTH: 1 }],
  ['swiglu_forward', { WIDTH: 4 }],
  ['swiglu_backward', { WIDTH: 1 }],
  ['swiglu_backward', { WIDTH: 4 }],
  ['square_sum', {}],
  ['clip_coefficient', {}],
  ['adamw', {}],
  ['attention_forward', attention(4, 2, 8)],
  ['attention_forward', attention(3, 1, 6)],
  ['attention_backward_query', attention(4, 2, 8)],
  ['attention_backward_query', attention(3, 1, 6)],
  ['attention_backward_key', attention(4, 2, 8)],
  ['attention_backward_key', attention(3, 1, 6)],
  ['attention_forward_tiled', tiled(4, 2, 8, {})],
  ['attention_forward_tiled', tiled(7, 1, 16, {})],
  ['attention_forward_tiled', tiled(6, 2, 20, { int8: true })],
  ['attention_forward_tiled', split(7, 1, 64, { split: 128 })],
  ['attention_forward_tiled', split(4, 2, 16)],
  ['attention_forward_tiled', split(3, 1, 12, { int8: true })],
  ['attention_combine', { H: 3, E: 2, SPLIT: 2 }],
  ['attention_combine', { H: 2, E: 16, SPLIT: 128 }],
  ['attention_delta', { H: 3 }],
  ['attention_backward_query_tiled', backward(4, 2, 8)],
  ['attention_backward_query_tiled', backward(7, 1, 20)],
  ['attention_backward_key_tiled', backward(2, 2, 16, { rows: 16 })],
  ['attention_backward_key_tiled', backward(4, 2, 8)],
  ['attention_backward_key_tiled', backward(7, 1, 20)],
  ['rope_forward', rope(4, 2, 8, 0)],
  ['rope_forward', rope(3, 1, 6, 1)],
  ['rope_forward', rope(3, 1, 12, 1, 1)],
  ['rope_backward', rope(4, 2, 8, 0)],
  ['rope_backward', rope(3, 1, 6, 1)],
  ['reduce_head_gains', { H: 3, KV: 1, D: 6 }],
  ['head_lse_update', { LANES: 1 }],
  ['head_lse_update', { LANES: 8 }],
  ['head_lse_update', { LANES: 64 }],
  ['head_finish', {}],
  ['head_dlogits', {}],
  ['head_sparse_logits', { WIDTH: 4, BITS: 32 }],
  ['head_sparse_logits', { WIDTH: 1, BITS: 32 }],
  ['head_sparse_logits', { WIDTH: 4, BITS: 8, MINIMUM: 0 }],
  ['head_sparse_logits', { WIDTH: 1, BITS: 4, MINIMUM: 1 }],
  ['head_sparse_finish', {}],
  ['head_sparse_dlogits', {}],
  ['head_divergence_dlogits', {}],
  ['sample_masked', { WIDTH: 4, BITS: 32 }],
  ['sample_masked', { WIDTH: 1, BITS: 32 }],
  ['sample_masked', { WIDTH: 4, BITS: 4, MINIMUM: 1 }],
  ['sample_masked', { WIDTH: 1, BITS: 8, MINIMUM: 1 }],
  ['sample_scan', {}],
  ['sample_scan_tiles', { TILE: 32, TILES: 5 }],
  ['sample_merge_tiles', { TILES: 70 }],
  ['sample_finish', {}],
];

/**
 * The variants in two lists. `repeated` has the further forms of each kernel in tiles, blocks or lanes: a software
 * adapter compiles one for seconds, and all of them for a minute.
 */
export const daily = variants.filter(
  ([name], i) => !/_(tiled|blocks|few|lanes)$/.test(name) || variants.findIndex(([other]) => other === name) === i,
);
export const repeated = variants.filter((variant) => !daily.includes(variant));

const lanesOf = (ROWS: number, COLUMNS: number, LANES: number): Constants => ({
  ...{ ROWS, COLUMNS, LANES },
  EACH: Math.ceil((ROWS * COLUMNS) / LANES),
});

/** Constants of one format; `other` flips the flags, so that both values of each are tested. */
function packedOf(BITS: number, MINIMUM: number, other: 0 | 1): [string, Constants][] {
  const flags = { BITS, MINIMUM, HAS_BIAS: other, HAS_RESIDUAL: 1 - other };
  const ACCUMULATE = other;
  // Terms of a sum: a whole number of steps, or not.
  const terms = MINIMUM ? 16 : 20;
  const lowRank = adapted(BITS === 8 ? 1 : MINIMUM ? 4 : 2);
  return [
    ['quant_matmul_nt', { ROWS: other ? 4 : 16, LANES: other ? 8 : 32, ...flags }],
    [
      'quant_matmul_nt_lanes',
      { ...lanesOf(other ? 1 : 4, other ? 2 : 4, 16), SUBGROUPS: 0, ...flags, ...plain, GATED: 0 },
    ],
    [
      'quant_matmul_nt_lanes',
      { ...lanesOf(other ? 4 : 1, other ? 4 : 2, 32), SUBGROUPS: 0, ...flags, ...lowRank, GATED: 0 },
    ],
    ['quant_matmul_nt_lanes', { ...lanesOf(other ? 3 : 1, 2, 4), SUBGROUPS: 1, ...flags, ...plain, GATED: 0 }],
    ['quant_matmul_nt_lanes', { ...lanesOf(other ? 1 : 3, 2, 4), SUBGROUPS: 1, ...flags, ...lowRank, GATED: 0 }],
    ...[0, 1].map((SUBGROUPS): [string, Constants] => {
      const lanes = SUBGROUPS ? lanesOf(other ? 3 : 1, 2, 4) : lanesOf(other ? 1 : 16, other ? 2 : 4, 16);
      const constants = { ...lanes, SUBGROUPS, ...flags, HAS_RESIDUAL: 0, ...(other ? plain : lowRank) };
      return ['quant_matmul_nt_lanes', { ...constants, ...gatedLanes(constants, true) }];
    }),
    ['quant_matmul_nt_tiled', { TILE_M: other ? 64 : 32, TILE_N: other ? 64 : 32, STAGE_BITS: 32, ...flags, ...plain }],
    ['quant_matmul_nt_tiled', { TILE_M: 64, TILE_N: 32, STAGE_BITS: 16, ...flags, ...plain }],
    ['quant_matmul_nt_tiled', { TILE_M: other ? 32 : 64, TILE_N: 32, STAGE_BITS: 32, ...flags, ...lowRank }],
    [
      'quant_matmul_nt_blocks',
      {
        ...packedConstants('NT', other ? (MINIMUM ? tinyTile : smallTile) : MINIMUM ? wideTile : largeTile, terms),
        ...flags,
        ...plain,
        GATED: 0,
        SCORED: 0,
      },
    ],
    [
      'quant_matmul_nt_blocks',
      {
        ...packedConstants('NT', other && MINIMUM ? largeTile : smallTile, 16),
        ...flags,
        ...lowRank,
        GATED: 0,
        SCORED: 0,
      },
    ],
    [
      'quant_matmul_nt_blocks',
      {
        ...{ ...packedConstants('NT', other && MINIMUM ? largeTile : wideTile, 36 - terms), ...flags, HAS_RESIDUAL: 0 },
        ...{ ...(other ? plain : lowRank), GATED: 1, SCORED: 0 },
      },
    ],
    [
      'quant_matmul_nt_blocks',
      {
        ...{ ...packedConstants('NT', other ? smallTile : MINIMUM ? tinyTile : largeTile, terms), BITS, MINIMUM },
        ...{ HAS_BIAS: 0, HAS_RESIDUAL: 0, ...plain, GATED: 0, SCORED: 1 },
      },
    ],
    ['quant_matmul_nt_few', { ...flags, ...plain, GATED: 0, REST: 1 - MINIMUM }],
    ['quant_matmul_nt_few', { ...flags, ...lowRank, GATED: 0, REST: MINIMUM }],
    ['quant_matmul_nt_few', { ...flags, HAS_RESIDUAL: 0, ...(other ? plain : lowRank), GATED: 1, REST: other }],
    ['quant_matmul_nt_scalar', { BITS, MINIMUM, HAS_BIAS: 1, HAS_RESIDUAL: 1 }],
    ['quant_matmul_nn', { BITS, MINIMUM, ROWS: 8, LANES: other ? 8 : 16, ACCUMULATE }],
    ['quant_matmul_nn_tiled', { BITS, MINIMUM, STAGE_BITS: 32, ACCUMULATE: 1 - ACCUMULATE }],
    ['quant_matmul_nn_tiled', { BITS, MINIMUM, STAGE_BITS: 16, ACCUMULATE }],
    [
      'quant_matmul_nn_blocks',
      {
        ...{
          ...packedConstants('NN', other ? largeTile : MINIMUM ? tinyTile : wideTile, terms),
          BITS,
          MINIMUM,
          ACCUMULATE,
        },
        ...{ LOW_RANK: 0, GATED: 0 },
      },
    ],
    ...[0, 1].map((GATED): [string, Constants] => [
      'quant_matmul_nn_blocks',
      {
        ...{
          ...packedConstants('NN', other && MINIMUM ? largeTile : tinyTile, GATED ? 20 : 16),
          BITS,
          MINIMUM,
          ACCUMULATE: 0,
        },
        ...{ LOW_RANK: GATED && other ? 0 : 1, GATED },
      },
    ]),
    ['quant_matmul_nn_scalar', { BITS, MINIMUM, ACCUMULATE: 1 }],
    ['quant_embed', { BITS, MINIMUM }],
  ];
}

export const packedVariants = [...packedOf(4, 0, 0), ...packedOf(8, 0, 1), ...packedOf(4, 1, 1), ...packedOf(8, 1, 0)];

/** Kernels of the processor without a shader. */
export const integerVariants: [string, Constants][] = [
  ['integer_activations', {}],
  ['integer_matmul_nt', { BITS: 4, HAS_BIAS: 1 }],
  ['integer_matmul_nt', { BITS: 8, HAS_RESIDUAL: 1 }],
  ['integer_matmul_nt', { BITS: 4, MINIMUM: 1 }],
  ['integer_matmul_nt', { BITS: 8, MINIMUM: 1, HAS_BIAS: 1, HAS_RESIDUAL: 1 }],
];
