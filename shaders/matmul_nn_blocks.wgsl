// matmul_nn in register blocks (block_tile.wgsl): for large sizes on real GPUs. The terms are the N outputs of the forward.
// Shapes: dout (M, N), weight (N, K), dinp (M, K); N and K are multiples of four.
// Constants: those of block_tile, ACCUMULATE.
// @registers many
// @include grid
// @include block_tile
const ROW_PAD = 1u;
const ROWS_PAIRED = 1u;
const COLUMN_PAD = 0u;
const GATED = 0u;
struct Params { M: u32, N: u32, K: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec2f>;
@group(0) @binding(2) var<storage, read> weight: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> dinp: array<vec4f>;

// @include block_store_nn

@compute @workgroup_size(THREADS)
fn matmul_nn_blocks(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 2u;
  let K = p.K / 4u;
  let across = (p.K + TILE_N - 1u) / TILE_N;
  let tile = linear_workgroup(wg, count);
  let m0 = tile / across * TILE_M;
  let k0 = tile % across * COLUMNS;
  if (m0 >= p.M) { return; }
// @include block_place
  // A thread stages one pair of terms of the fours `four`, `four` + THREADS / PAIRS, ... of dout, and of the weight one
  // four of columns of the terms `term`, `term` + THREADS / COLUMNS, ...
  let pair = lane % PAIRS;
  let four = lane / PAIRS;
  let row_at = pair * ROW_STRIDE + four;
  let term = lane / COLUMNS;
  let column = min(k0 + lane % COLUMNS, K - 1u);
  // @repeat h ROW_LOADS
  let from$h = (m0 + (four + $hu * (THREADS / PAIRS)) * 4u) * N + pair;
  // @repeat i 4
  var a$h_$i = dout[from$h + $iu * N];
  // @end
  // @end
  // @repeat h COLUMN_LOADS
  var b$h = weight[min(term + $hu * (THREADS / COLUMNS), p.N - 1u) * K + column];
  // @end
  let last = (N - 1u) / PAIRS * PAIRS;
  for (var n = 0u; n < N; n += PAIRS) {
    // Rows of the weight past the last one repeat it, and meet zeros.
    if (n + PAIRS > N) {
      let inside = n + pair < N;
      // @repeat i 4
      // @repeat h ROW_LOADS
      a$h_$i = select(vec2f(), a$h_$i, inside);
      // @end
      // @end
    }
    workgroupBarrier();
// @include block_stage_rows
    // @repeat h COLUMN_LOADS
    columns[lane + $hu * THREADS] = b$h;
    // @end
    workgroupBarrier();
    let next = min(n + PAIRS, last);
    // @repeat h ROW_LOADS
    // @repeat i 4
    a$h_$i = dout[from$h + $iu * N + next];
    // @end
    // @end
    // @repeat h COLUMN_LOADS
    b$h = weight[min(next * 2u + term + $hu * (THREADS / COLUMNS), p.N - 1u) * K + column];
    // @end
// @include block_sums
  }
  // @repeat i ROW_FOURS
  // @repeat e 4
  // @repeat j COLUMN_FOURS
  store(m0 + (y + $iu * DOWN) * 4u + $eu, k0 + x + $ju * ACROSS, acc$i_$e_$j);
  // @end
  // @end
  // @end
}
