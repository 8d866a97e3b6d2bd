// quant_matmul_nt in register blocks (block_tile.wgsl): for prefill and training on real GPUs. The tile holds the values
// of the weights, so each is scaled once for TILE_M rows.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); N and K are multiples of four.
// Constants: those of block_tile, BITS, MINIMUM, HAS_BIAS, HAS_RESIDUAL, LOW_RANK (low_rank1.wgsl), GATED (gated1.wgsl),
// SCORED (scored1.wgsl), REST: 0 if STEP divides K, else 1.
// @registers many
// @include grid
// @include quant
// @include block_tile
const ROW_PAD = 1u;
const ROWS_PAIRED = 1u;
const COLUMN_PAD = 1u;
// @include scored SCORED
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec2f>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4f>;
// @repeat l LOW_RANK
@group(0) @binding(7) var<storage, read> mid: array<vec4f>;
@group(0) @binding(8) var<storage, read> B: array<vec4f>;
// @end

// @include block_store_nt
// @repeat l LOW_RANK
// @include block_store_adapted
// @end

// Pairs of codes in a word.
const PAIRS_OF_WORD = 16u / BITS;

// Values of the pair of codes in the lowest bits. s: scale and minimum.
fn pair_of(word: u32, s: vec2f) -> vec2f {
  if (BITS == 8u) {
    let bytes = bitcast<i32>(word);
    return values_of(vec4f(f32(extractBits(bytes, 0u, 8u)), f32(extractBits(bytes, 8u, 8u)), 0.0, 0.0), s).xy;
  }
  let nibbles = vec2f(f32(word & 15u), f32(extractBits(word, 4u, 4u)));
  return values_of(vec4f(nibbles - f32(8u - 8u * MINIMUM), 0.0, 0.0), s).xy;
}

@compute @workgroup_size(THREADS)
fn quant_matmul_nt_blocks(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let K = p.K / 2u;
  let G = groups_of(p.K);
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
  let shift = pair % PAIRS_OF_WORD * 2u * BITS;
  // @repeat h ROW_LOADS
  let from$h = (m0 + (four + $hu * (THREADS / PAIRS)) * 4u) * K + pair;
  // @repeat i 4
  var a$h_$i = inp[from$h + $iu * K];
  // @end
  // @end
  // @repeat h COLUMN_LOADS
  let row$h = column_of(n0, four + $hu * (THREADS / PAIRS)) * 4u;
  let of$h = row$h * G * BITS + pair / PAIRS_OF_WORD;
  // @repeat i 4
  var b$h_$i = codes[of$h + $iu * G * BITS];
  var s$h_$i = scale_word(row$h + $iu, 0u, G);
  // @end
  // @end
  let last = (K - 1u) / PAIRS * PAIRS;
  for (var k = 0u; k < K; k += PAIRS) {
    // @repeat r REST
    // Weights past K meet zeros, and are finite: a row of codes is a whole number of groups.
    if (k + PAIRS > K) {
      let inside = k + pair < K;
      // @repeat i 4
      // @repeat h ROW_LOADS
      a$h_$i = select(vec2f(), a$h_$i, inside);
      // @end
      // @end
    }
    // @end
    // A step lies in one group, because STEP divides 32.
    let g = k / 16u;
    workgroupBarrier();
// @include block_stage_rows
    // @repeat h COLUMN_LOADS
    // @repeat i 4
    let w$h_$i = pair_of(b$h_$i >> shift, scale_from(s$h_$i, g));
    // @end
    columns[column_at + $hu * (THREADS / PAIRS)] = vec4f(w$h_0.x, w$h_1.x, w$h_2.x, w$h_3.x);
    columns[column_at + $hu * (THREADS / PAIRS) + COLUMNS] = vec4f(w$h_0.y, w$h_1.y, w$h_2.y, w$h_3.y);
    // @end
    workgroupBarrier();
    let next = min(k + PAIRS, last);
    // @repeat i 4
    // @repeat h ROW_LOADS
    a$h_$i = inp[from$h + $iu * K + next];
    // @end
    // @repeat h COLUMN_LOADS
    b$h_$i = codes[of$h + $iu * G * BITS + next / PAIRS_OF_WORD];
    s$h_$i = scale_word(row$h + $iu, next / 16u, G);
    // @end
    // @end
// @include block_sums
  }
  // The columns of a thread past the last gate are those of ups, which other threads write.
  if (GATED == 1u && column_of(n0, x) >= p.N / 8u) { return; }
  // @repeat s SCORED
  // Rows past M repeat the last one; their gradients are computed but not stored.
  // @repeat i ROW_FOURS
  // @repeat e 4
  let n$i_$e = min(m0 + (y + $iu * DOWN) * 4u + $eu, p.M - 1u);
  let scored$i_$e = ScoredRow(targets[n$i_$e], lse[n$i_$e], results[(p.resultOffset + n$i_$e) * 8u + 1u], seeds[n$i_$e]);
  // @repeat j COLUMN_FOURS
  let token$i_$e_$j = p.first + n0 + (x + $ju * ACROSS) * 4u;
  // @repeat c 4
  let d$i_$e_$j_$c = logit_gradient(scored$i_$e, token$i_$e_$j + $cu, acc$i_$e_$j[$c]);
  // @end
  acc$i_$e_$j = vec4f(d$i_$e_$j_0, d$i_$e_$j_1, d$i_$e_$j_2, d$i_$e_$j_3);
  // @end
  // @end
  // @end
  // @end
// @include block_outputs LOW_RANK
  // @repeat g GATED
  // @repeat i ROW_FOURS
  // @repeat e 4
  activate(m0 + (y + $iu * DOWN) * 4u + $eu, column_of(n0, x), value$i_$e_0, value$i_$e_1);
  // @end
  // @end
  // @end
}
