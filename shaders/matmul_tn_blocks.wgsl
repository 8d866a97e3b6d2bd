// matmul_tn in register blocks (block_tile.wgsl): for large sizes on real GPUs. One workgroup computes TILE_M rows n and
// TILE_N columns k of a chunk's partial sum. The terms are the tokens.
// Shapes: dout (T, N), inp (T, K), partials (chunks, N, K); N and K are multiples of four.
// Constants: those of block_tile; ACCUMULATE, as in matmul_tn.
// @registers many
// @include grid
// @include block_tile
const ROW_PAD = 0u;
const ROWS_PAIRED = 0u;
const COLUMN_PAD = 0u;
struct Params { T: u32, N: u32, K: u32, chunk: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec4f>;
@group(0) @binding(2) var<storage, read> inp: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4f>;

// Adds or writes a sum. s: chunk; k: in fours.
fn store(s: u32, n: u32, k: u32, sum: vec4f) {
  let K = p.K / 4u;
  if (n >= p.N || k >= K) { return; }
  let at = (s * p.N + n) * K + k;
  if (ACCUMULATE == 1u) { partials[at] += sum; } else { partials[at] = sum; }
}

@compute @workgroup_size(THREADS)
fn matmul_tn_blocks(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 4u;
  let K = p.K / 4u;
  let across = (p.K + TILE_N - 1u) / TILE_N;
  let down = (p.N + TILE_M - 1u) / TILE_M;
  let tile = linear_workgroup(wg, count);
  let s = tile / (across * down);
  let rest = tile % (across * down);
  let n0 = rest / across * ROWS;
  let k0 = rest % across * COLUMNS;
  let begin = s * p.chunk;
  if (begin >= p.T) { return; }
  let end = min(begin + p.chunk, p.T);
// @include block_place
  // A thread stages one four of columns of the terms `term`, `term` + THREADS / ROWS, ... of dout, and likewise of inp.
  let row = min(n0 + lane % ROWS, N - 1u);
  let row_term = lane / ROWS;
  let column = min(k0 + lane % COLUMNS, K - 1u);
  let column_term = lane / COLUMNS;
  // @repeat h ROW_LOADS
  var a$h = dout[min(begin + row_term + $hu * (THREADS / ROWS), end - 1u) * N + row];
  // @end
  // @repeat h COLUMN_LOADS
  var b$h = inp[min(begin + column_term + $hu * (THREADS / COLUMNS), end - 1u) * K + column];
  // @end
  for (var t = begin; t < end; t += STEP) {
    workgroupBarrier();
    // Tokens of inp past the last one repeat it, and meet zeros.
    // @repeat h ROW_LOADS
    rows[lane + $hu * THREADS] = select(vec4f(), a$h, t + row_term + $hu * (THREADS / ROWS) < end);
    // @end
    // @repeat h COLUMN_LOADS
    columns[lane + $hu * THREADS] = b$h;
    // @end
    workgroupBarrier();
    // @repeat h ROW_LOADS
    a$h = dout[min(t + STEP + row_term + $hu * (THREADS / ROWS), end - 1u) * N + row];
    // @end
    // @repeat h COLUMN_LOADS
    b$h = inp[min(t + STEP + column_term + $hu * (THREADS / COLUMNS), end - 1u) * K + column];
    // @end
// @include block_sums
  }
  // @repeat i ROW_FOURS
  // @repeat e 4
  // @repeat j COLUMN_FOURS
  store(s, n0 * 4u + (y + $iu * DOWN) * 4u + $eu, k0 + x + $ju * ACROSS, acc$i_$e_$j);
  // @end
  // @end
  // @end
}
