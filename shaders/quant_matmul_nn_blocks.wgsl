// quant_matmul_nn in register blocks (block_tile.wgsl): for large sizes on real GPUs. The terms are the N outputs of the
// forward. The tile holds the values of the weights, so each is scaled once for TILE_M rows.
// Shapes: dout (M, N), weight (N, K), dinp (M, K); N and K are multiples of four.
// Constants: those of block_tile, BITS, MINIMUM, ACCUMULATE, LOW_RANK (low_rank_input1.wgsl), GATED (block_store_nn.wgsl),
// REST: 0 if STEP divides N, else 1.
// @registers many
// @include grid
// @include quant
// @include block_tile
const ROW_PAD = 1u;
const ROWS_PAIRED = 0u;
const COLUMN_PAD = 0u;
// @include low_rank_input LOW_RANK
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> dout: array<vec2f>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read_write> dinp: array<vec4f>;

// @include block_store_nn

// Four codes of a word, the first in its lowest bits.
fn four_of(word: u32) -> vec4f {
  if (BITS == 8u) { return signed_bytes(word); }
  return nibbles(word, 0u);
}

@compute @workgroup_size(THREADS)
fn quant_matmul_nn_blocks(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let N = p.N / 2u;
  let K = p.K / 4u;
  let G = groups_of(p.K);
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
  let word = column * BITS / 8u;
  let shift = column % (8u / BITS) * 16u;
  // @repeat h ROW_LOADS
  let from$h = (m0 + (four + $hu * (THREADS / PAIRS)) * 4u) * N + pair;
  // @repeat i 4
  var a$h_$i = dout[from$h + $iu * N];
  // @end
  // @end
  // @repeat h COLUMN_LOADS
  let row$h = min(term + $hu * (THREADS / COLUMNS), p.N - 1u);
  let codes_at$h = row$h * G * BITS + word;
  let scales_at$h = scale_place(row$h, column / 8u, G);
  var b$h = codes[codes_at$h];
  var s$h = scales[scales_at$h];
  // @end
  let last = (N - 1u) / PAIRS * PAIRS;
  for (var n = 0u; n < N; n += PAIRS) {
    // @repeat r REST
    // Rows of the weight past the last one repeat it, and meet zeros.
    if (n + PAIRS > N) {
      let inside = n + pair < N;
      // @repeat i 4
      // @repeat h ROW_LOADS
      a$h_$i = select(vec2f(), a$h_$i, inside);
      // @end
      // @end
    }
    // @end
    workgroupBarrier();
    // @repeat h ROW_LOADS
    rows[row_at + $hu * (THREADS / PAIRS)] = vec4f(a$h_0.x, a$h_1.x, a$h_2.x, a$h_3.x);
    rows[row_at + $hu * (THREADS / PAIRS) + ROWS] = vec4f(a$h_0.y, a$h_1.y, a$h_2.y, a$h_3.y);
    // @end
    // @repeat h COLUMN_LOADS
    columns[lane + $hu * THREADS] = values_of(four_of(b$h >> shift), scale_from(s$h, column / 8u));
    // @end
    workgroupBarrier();
    let next = min(n + PAIRS, last);
    // @repeat h ROW_LOADS
    // @repeat i 4
    a$h_$i = dout[from$h + $iu * N + next];
    // @end
    // @end
// @include packed_terms REST
// @include block_sums
  }
  // @repeat l LOW_RANK
  // Rows past M and columns past K repeat the last one; their sums are computed but not stored.
  let Q = p.width / 4u;
  // @repeat i ROW_FOURS
  // @repeat e 4
  let mid$i_$e = min(m0 + (y + $iu * DOWN) * 4u + $eu, p.M - 1u) * Q;
  // @end
  // @end
  // @repeat j COLUMN_FOURS
  let at$j = min(k0 + x + $ju * ACROSS, K - 1u);
  // @end
  for (var q = 0u; q < Q; q++) {
    // @repeat c 4
    // @repeat j COLUMN_FOURS
    let w$c_$j = A[(q * 4u + $cu) * K + at$j];
    // @end
    // @end
    // @repeat i ROW_FOURS
    // @repeat e 4
    let d$i_$e = dmid[mid$i_$e + q];
    // @repeat c 4
    // @repeat j COLUMN_FOURS
    acc$i_$e_$j = fma(vec4f(d$i_$e[$c]), w$c_$j, acc$i_$e_$j);
    // @end
    // @end
    // @end
    // @end
  }
  // @end
  // @repeat i ROW_FOURS
  // @repeat e 4
  // @repeat j COLUMN_FOURS
  store(m0 + (y + $iu * DOWN) * 4u + $eu, k0 + x + $ju * ACROSS, acc$i_$e_$j);
  // @end
  // @end
  // @end
}
