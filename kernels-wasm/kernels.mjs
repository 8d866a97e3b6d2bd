/**
 * Specification of every kernel of the WebAssembly device, and the only list of them. scripts/kernel-tables.mjs
 * generates the AssemblyScript tables from it: build/kernels/calls.ts reads bindings, scalars and constants by name,
 * build/kernels/operations.ts dispatches. It fails the build if an entry differs from its shader or from its function.
 * src/device/wasm/operations.ts writes calls by the same entries. The position of an entry is its number, which is
 * stored nowhere.
 *
 * - `name`: the shader that defines the computation. The function in `module` has the same name in camel case.
 * - `forms`: other shaders with the same result, computed by the same function. They differ in how a GPU divides the
 * work.
 * - `group`: kernels that share functions. A namespace of this name reads everything that lies at the same place in all
 * their calls.
 * - `chunks`: number of chunks of a call, an expression of its scalars, its constants and functions of `module`.
 * - `bindings`, `scalars`: names as in the shader, in the same order (scalars: `struct Params`).
 * - `constants`: the constants that the function reads. Names that end with `_F` are f32, all others u32. A missing one
 * is 0.
 * - `shader: false`: there is no shader of this name.
 */

const matmul = { M: 'u32', N: 'u32', K: 'u32' };
const rows = { T: 'u32', C: 'u32' };
const rowChunks = { T: 'u32', C: 'u32', chunk: 'u32' };
const lookup = { T: 'u32', C: 'u32', first: 'u32', rows: 'u32' };
const lora = {
  ...{ T: 'u32', N: 'u32', rank: 'u32', width: 'u32', stride: 'u32', end0: 'u32', end1: 'u32' },
  ...{ shift0: 'u32', shift1: 'u32', shift2: 'u32', scale: 'f32', chunk: 'u32' },
};
const attention = ['H', 'KV', 'D', 'SCALE_F'];
const attentionTiles = ['H', 'KV', 'E', 'SCALE_F', 'SPLIT', 'KV8'];
const rope = ['H', 'KV', 'D', 'QK_NORM', 'EPS_F', 'KV8'];

/** Layout of a call record (call.ts) in 32-bit words: first word and number of words of each part. */
export const recordLayout = {
  bindings: { at: 4, most: 8 },
  scalars: { at: 12, most: 16 },
  constants: { at: 28, most: 36 },
};

/**
 * Shaders without a WebAssembly kernel. On this device the host evaluates the objective, and the vocabulary is scanned
 * tile by tile.
 */
export const gpuOnly = [
  ...['objective_kernel', 'sample_scan_tiles', 'sample_merge_tiles', 'lora_up_backward_both', 'lora_sum_blocks'],
  'lora_norm_down',
];

export const kernels = [
  // Used by `Recorder.copy` and `Recorder.clear`.
  {
    name: 'copy',
    shader: false,
    module: 'elementwise',
    chunks: 'byteChunks(bytes)',
    bindings: ['source', 'target'],
    scalars: { bytes: 'u32' },
    constants: [],
  },
  {
    name: 'clear',
    shader: false,
    module: 'elementwise',
    chunks: 'byteChunks(bytes)',
    bindings: ['target'],
    scalars: { bytes: 'u32' },
    constants: [],
  },
  {
    name: 'matmul_nt',
    forms: ['matmul_nt_blocks', 'matmul_nt_lanes', 'matmul_nt_scalar', 'matmul_nt_tiled'],
    module: 'matmul',
    chunks: 'productChunks(M, N, N * K)',
    bindings: ['inp', 'weight', 'bias', 'residual', 'out'],
    scalars: matmul,
    constants: ['HAS_BIAS', 'HAS_RESIDUAL'],
  },
  {
    name: 'matmul_nn',
    forms: ['matmul_nn_blocks', 'matmul_nn_scalar', 'matmul_nn_tiled'],
    module: 'matmul',
    chunks: 'productChunks(M, K, N * K)',
    bindings: ['dout', 'weight', 'dinp'],
    scalars: matmul,
    constants: ['ACCUMULATE'],
  },
  {
    name: 'matmul_tn',
    forms: ['matmul_tn_blocks', 'matmul_tn_scalar', 'matmul_tn_tiled'],
    module: 'matmul',
    chunks: 'gradientChunks(T, N, K, chunk)',
    bindings: ['dout', 'inp', 'partials'],
    scalars: { T: 'u32', N: 'u32', K: 'u32', chunk: 'u32' },
    constants: ['ACCUMULATE'],
  },
  {
    name: 'quant_matmul_nt',
    forms: [
      'quant_matmul_nt_blocks',
      'quant_matmul_nt_few',
      'quant_matmul_nt_lanes',
      'quant_matmul_nt_scalar',
      'quant_matmul_nt_tiled',
    ],
    module: 'matmul',
    chunks: 'productChunks(M, N, N * K)',
    bindings: ['inp', 'codes', 'scales', 'bias', 'residual', 'out'],
    scalars: matmul,
    constants: ['BITS', 'MINIMUM', 'HAS_BIAS', 'HAS_RESIDUAL'],
  },
  {
    name: 'quant_matmul_nn',
    forms: ['quant_matmul_nn_blocks', 'quant_matmul_nn_scalar', 'quant_matmul_nn_tiled'],
    module: 'matmul',
    chunks: 'productChunks(M, K, N * K)',
    bindings: ['dout', 'codes', 'scales', 'dinp'],
    scalars: matmul,
    constants: ['BITS', 'MINIMUM', 'ACCUMULATE'],
  },
  // Forward product of packed weights with activations in 16-bit integers, and the kernel that makes these.
  {
    name: 'integer_activations',
    shader: false,
    module: 'integer',
    chunks: 'activationChunks(M)',
    bindings: ['inp', 'codes', 'scales'],
    scalars: { M: 'u32', K: 'u32' },
    constants: [],
  },
  {
    name: 'integer_matmul_nt',
    shader: false,
    module: 'integer',
    chunks: 'integerChunks(M, N, N * K)',
    bindings: ['inpCodes', 'inpScales', 'codes', 'scales', 'bias', 'residual', 'out'],
    scalars: matmul,
    constants: ['BITS', 'MINIMUM', 'HAS_BIAS', 'HAS_RESIDUAL'],
  },
  {
    name: 'quant_embed',
    module: 'quant',
    chunks: 'embedChunks(T)',
    bindings: ['ids', 'codes', 'scales', 'out'],
    scalars: lookup,
    constants: ['BITS', 'MINIMUM'],
  },
  {
    name: 'embed_forward',
    module: 'rows',
    chunks: 'lookupChunks(T)',
    bindings: ['ids', 'table', 'out'],
    scalars: lookup,
    constants: [],
  },
  {
    name: 'gather_rows',
    module: 'rows',
    chunks: 'lookupChunks(N)',
    bindings: ['pairs', 'inp', 'out'],
    scalars: { N: 'u32', C: 'u32', pairOffset: 'u32' },
    constants: [],
  },
  {
    name: 'scatter_rows',
    module: 'rows',
    chunks: 'targetChunks(U)',
    bindings: ['lists', 'table', 'scale', 'out'],
    scalars: { U: 'u32', C: 'u32', listOffset: 'u32', E: 'u32', scalesAt: 'u32' },
    constants: ['SCALED', 'BITS', 'MINIMUM'],
  },
  {
    name: 'reduce_partials',
    module: 'rows',
    chunks: 'elementChunks(size)',
    bindings: ['partials', 'out'],
    scalars: { size: 'u32', chunks: 'u32' },
    constants: [],
  },
  {
    name: 'column_sum',
    module: 'rows',
    chunks: 'columnChunks(T, C, chunk)',
    bindings: ['inp', 'partials'],
    scalars: rowChunks,
    constants: [],
  },
  {
    name: 'rmsnorm_backward_weight',
    module: 'rows',
    chunks: 'columnChunks(T, C, chunk)',
    bindings: ['inp', 'rstd', 'dout', 'partials'],
    scalars: rowChunks,
    constants: [],
  },
  {
    name: 'reduce_head_gains',
    module: 'rows',
    chunks: '1',
    bindings: ['partials', 'out'],
    scalars: { chunks: 'u32' },
    constants: ['H', 'KV', 'D'],
  },
  {
    name: 'rmsnorm_forward',
    module: 'elementwise',
    chunks: 'rowChunks(T)',
    bindings: ['inp', 'gain', 'out', 'rstd'],
    scalars: rows,
    constants: ['EPS_F'],
  },
  {
    name: 'rmsnorm_backward',
    module: 'elementwise',
    chunks: 'rowChunks(T)',
    bindings: ['inp', 'gain', 'rstd', 'dout', 'dresidual', 'dinp'],
    scalars: rows,
    constants: ['HAS_RESIDUAL'],
  },
  {
    name: 'swiglu_forward',
    module: 'elementwise',
    chunks: 'rowChunks(T)',
    bindings: ['inp', 'out'],
    scalars: { T: 'u32', I: 'u32' },
    constants: [],
  },
  {
    name: 'swiglu_backward',
    module: 'elementwise',
    chunks: 'rowChunks(T)',
    bindings: ['dout', 'inp'],
    scalars: { T: 'u32', I: 'u32' },
    constants: [],
  },
  {
    name: 'square_sum',
    module: 'elementwise',
    chunks: 'squareSumChunks(size)',
    bindings: ['inp', 'partials'],
    scalars: { size: 'u32', offset: 'u32' },
    constants: [],
  },
  {
    name: 'clip_coefficient',
    module: 'elementwise',
    chunks: '1',
    bindings: ['partials', 'norm'],
    scalars: { count: 'u32', maxNorm: 'f32' },
    constants: [],
  },
  {
    name: 'adamw',
    module: 'elementwise',
    chunks: 'parameterChunks(size)',
    bindings: ['norm', 'grad', 'weight', 'm', 'v'],
    scalars: {
      ...{ size: 'u32', learningRate: 'f32', beta1: 'f32', beta2: 'f32', epsilon: 'f32', weightDecay: 'f32' },
      ...{ biasCorrection1: 'f32', biasCorrection2Sqrt: 'f32' },
    },
    constants: [],
  },
  {
    name: 'rope_forward',
    module: 'rope',
    chunks: 'tokenChunks(T)',
    bindings: ['tokens', 'inp', 'table', 'gains', 'pages', 'query', 'cache'],
    scalars: { T: 'u32', pageBits: 'u32' },
    constants: rope,
  },
  {
    name: 'rope_backward',
    module: 'rope',
    chunks: 'tokenChunks(T)',
    bindings: ['tokens', 'inp', 'tables', 'gains', 'dquery', 'dcache', 'dinp', 'dgain'],
    scalars: { T: 'u32' },
    constants: rope,
  },
  {
    name: 'attention_forward',
    module: 'attention',
    chunks: 'tokenChunks(T)',
    bindings: ['tokens', 'query', 'pages', 'cache', 'out', 'lse'],
    scalars: { T: 'u32', pageBits: 'u32' },
    constants: attention,
  },
  {
    name: 'attention_backward_query',
    module: 'attention',
    chunks: 'tokenChunks(T)',
    bindings: ['tokens', 'query', 'cache', 'attended', 'lse', 'dout', 'dquery', 'delta'],
    scalars: { T: 'u32' },
    constants: attention,
  },
  {
    name: 'attention_backward_key',
    group: 'attention_keys',
    module: 'attention',
    chunks: 'tokenChunks(T)',
    bindings: ['tokens', 'query', 'cache', 'lse', 'dout', 'delta', 'dcache'],
    scalars: { T: 'u32' },
    constants: attention,
  },
  {
    name: 'attention_backward_key_tiled',
    group: 'attention_keys',
    module: 'attention',
    chunks: 'tokenChunks(T)',
    bindings: ['tokens', 'query', 'cache', 'lse', 'dout', 'delta', 'dcache'],
    scalars: { T: 'u32' },
    constants: ['H', 'KV', 'E', 'SCALE_F'],
  },
  {
    name: 'attention_forward_tiled',
    module: 'attention',
    chunks: 'tiles * KV',
    bindings: ['tiles', 'tokens', 'pages', 'query', 'cache', 'out', 'lse'],
    scalars: { tiles: 'u32', splits: 'u32', prefixSplits: 'u32', pageBits: 'u32' },
    constants: attentionTiles,
  },
  {
    name: 'attention_combine',
    module: 'attention',
    chunks: 'T',
    bindings: ['tokens', 'partials', 'out', 'lse'],
    scalars: { T: 'u32', splits: 'u32', prefixSplits: 'u32' },
    constants: ['H', 'E', 'SPLIT'],
  },
  {
    name: 'attention_delta',
    module: 'attention',
    chunks: 'deltaChunks(T)',
    bindings: ['dout', 'attended', 'delta'],
    scalars: { T: 'u32', E: 'u32' },
    constants: ['H'],
  },
  {
    name: 'attention_backward_query_tiled',
    module: 'attention',
    chunks: 'tiles * KV',
    bindings: ['tiles', 'tokens', 'query', 'cache', 'lse', 'dout', 'delta', 'dquery'],
    scalars: { tiles: 'u32' },
    constants: attentionTiles,
  },
  {
    name: 'head_lse_update',
    module: 'head',
    chunks: 'rowChunks(N)',
    bindings: ['logits', 'targets', 'state'],
    scalars: { N: 'u32', W: 'u32', first: 'u32', inverseTemperature: 'f32' },
    constants: [],
  },
  {
    name: 'head_finish',
    module: 'head',
    chunks: 'rowChunks(N)',
    bindings: ['state', 'results', 'lse'],
    scalars: { N: 'u32', resultOffset: 'u32' },
    constants: [],
  },
  {
    name: 'head_dlogits',
    module: 'head',
    chunks: 'rowChunks(N)',
    bindings: ['targets', 'lse', 'results', 'seeds', 'logits'],
    scalars: { N: 'u32', W: 'u32', first: 'u32', resultOffset: 'u32', inverseTemperature: 'f32' },
    constants: [],
  },
  {
    name: 'head_sparse_logits',
    module: 'head',
    chunks: 'entryChunks(E)',
    bindings: ['lists', 'hidden', 'table', 'logits'],
    scalars: { E: 'u32', C: 'u32', rowOffset: 'u32', tokenOffset: 'u32', inverseTemperature: 'f32', scalesAt: 'u32' },
    constants: ['BITS', 'MINIMUM'],
  },
  {
    name: 'head_sparse_finish',
    module: 'head',
    chunks: 'rowChunks(N)',
    bindings: ['lists', 'targets', 'logits', 'results', 'lse'],
    scalars: { N: 'u32', startOffset: 'u32', tokenOffset: 'u32', resultOffset: 'u32' },
    constants: [],
  },
  {
    name: 'head_sparse_dlogits',
    module: 'head',
    chunks: 'entryChunks(E)',
    bindings: ['lists', 'targets', 'lse', 'results', 'seeds', 'logits'],
    scalars: { E: 'u32', rowOffset: 'u32', tokenOffset: 'u32', resultOffset: 'u32', inverseTemperature: 'f32' },
    constants: [],
  },
  {
    name: 'head_divergence_dlogits',
    module: 'head',
    chunks: 'rowChunks(N)',
    bindings: ['lists', 'targets', 'lse', 'results', 'seeds', 'teacher', 'logits', 'divergences'],
    scalars: {
      ...{ N: 'u32', startOffset: 'u32', tokenOffset: 'u32', resultOffset: 'u32' },
      ...{ inverseTemperature: 'f32', beta: 'f32' },
    },
    constants: [],
  },
  {
    name: 'sample_masked',
    module: 'sampling',
    chunks: 'R',
    bindings: ['hidden', 'table', 'trie', 'rows', 'ids', 'tokens', 'outTokens', 'outLogprobs'],
    scalars: {
      ...{ R: 'u32', C: 'u32', step: 'u32', trash: 'u32', edgeOffset: 'u32', seed: 'u32', stream: 'u32' },
      ...{ inverseTemperature: 'f32', scalesAt: 'u32' },
    },
    constants: ['BITS', 'MINIMUM'],
  },
  {
    name: 'sample_scan',
    module: 'sampling',
    chunks: 'R',
    bindings: ['logits', 'rows', 'state'],
    scalars: { R: 'u32', W: 'u32', first: 'u32', seed: 'u32', stream: 'u32', inverseTemperature: 'f32' },
    constants: [],
  },
  {
    name: 'sample_finish',
    module: 'sampling',
    chunks: 'finishChunks(R)',
    bindings: ['state', 'stops', 'rows', 'ids', 'tokens', 'outTokens', 'outLogprobs'],
    scalars: { R: 'u32', step: 'u32', trash: 'u32' },
    constants: [],
  },
  {
    name: 'lora_up',
    forms: ['lora_up_fours'],
    group: 'lora',
    module: 'lora',
    chunks: 'upChunks(T, N)',
    bindings: ['mid', 'B', 'out'],
    scalars: lora,
    constants: [],
  },
  {
    name: 'lora_up_backward',
    forms: ['lora_up_backward_lanes'],
    group: 'lora',
    module: 'lora',
    chunks: 'tokenChunks(T)',
    bindings: ['dout', 'B', 'dmid'],
    scalars: lora,
    constants: [],
  },
  {
    name: 'lora_up_backward_weight',
    forms: ['lora_up_backward_weight_lanes'],
    group: 'lora',
    module: 'lora',
    chunks: 'weightChunks(T, N, chunk)',
    bindings: ['dout', 'mid', 'partials'],
    scalars: lora,
    constants: [],
  },
  // Measures the peak of the machine for the bench.
  {
    name: 'peak',
    shader: false,
    module: 'peak',
    chunks: 'chunks',
    bindings: ['out'],
    scalars: { chunks: 'u32', rounds: 'u32' },
    constants: [],
  },
];
