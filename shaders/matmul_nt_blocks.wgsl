// matmul_nt in register blocks (block_tile.wgsl): for large sizes on real GPUs.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); N and K are multiples of four.
// Constants: those of block_tile, HAS_BIAS, HAS_RESIDUAL, LOW_RANK (low_rank1.wgsl).
// @registers many
// @include grid
// @include block_tile
const ROW_PAD = 1u;
const ROWS_PAIRED = 1u;
const COLUMN_PAD = 1u;
const GATED = 0u;
// @include low_rank LOW_RANK
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec2f>;
@group(0) @binding(2) var<storage, read> weight: array<vec2f>;
@group(0) @binding(3) var<storage, read> bias: array<vec4f>;
@group(0) @binding(4) var<storage, read> residual: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> out: array<vec4f>;
// @repeat l LOW_RANK
@group(0) @binding(6) var<storage, read> mid: array<vec4f>;
@group(0) @binding(7) var<storage, read> B: array<vec4f>;
// @end

// @include block_store_nt
// @repeat l LOW_RANK
// @include block_store_adapted
// @end

@compute @workgroup_size(THREADS)
fn matmul_nt_blocks(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let K = p.K / 2u;
  let across = (p.N + TILE_N - 1u) / TILE_N;
  let tile = linear_workgroup(wg, count);
  let m0 = tile / across * TILE_M;
  let n0 = tile % across * TILE_N;
  if (m0 >= p.M) { return; }
// @include block_place
  // A thread stages one pair of terms of the fours `four`, `four` + THREADS / PAIRS, ...
  let pair = lane % PAIRS;
  let four = lane / PAIRS;
  let row_at = pair * ROW_STRIDE + four;
  let column_at = pair * COLUMN_STRIDE + four;
  // @repeat h ROW_LOADS
  let from$h = (m0 + (four + $hu * (THREADS / PAIRS)) * 4u) * K + pair;
  // @repeat i 4
  var a$h_$i = inp[from$h + $iu * K];
  // @end
  // @end
  // @repeat h COLUMN_LOADS
  let of$h = (n0 + (four + $hu * (THREADS / PAIRS)) * 4u) * K + pair;
  // @repeat i 4
  var b$h_$i = weight[of$h + $iu * K];
  // @end
  // @end
  let last = (K - 1u) / PAIRS * PAIRS;
  for (var k = 0u; k < K; k += PAIRS) {
    if (k + PAIRS > K) {
      let inside = k + pair < K;
      // @repeat i 4
      // @repeat h ROW_LOADS
      a$h_$i = select(vec2f(), a$h_$i, inside);
      // @end
      // @repeat h COLUMN_LOADS
      b$h_$i = select(vec2f(), b$h_$i, inside);
      // @end
      // @end
    }
    workgroupBarrier();
// @include block_stage_rows
    // @repeat h COLUMN_LOADS
    columns[column_at + $hu * (THREADS / PAIRS)] = vec4f(b$h_0.x, b$h_1.x, b$h_2.x, b$h_3.x);
    columns[column_at + $hu * (THREADS / PAIRS) + COLUMNS] = vec4f(b$h_0.y, b$h_1.y, b$h_2.y, b$h_3.y);
    // @end
    workgroupBarrier();
    let next = min(k + PAIRS, last);
    // @repeat i 4
    // @repeat h ROW_LOADS
    a$h_$i = inp[from$h + $iu * K + next];
    // @end
    // @repeat h COLUMN_LOADS
    b$h_$i = weight[of$h + $iu * K + next];
    // @end
    // @end
// @include block_sums
  }
// @include block_outputs LOW_RANK
}
