// quant_matmul_nt for up to 32 rows of decoding on real GPUs. A workgroup computes 32 x 32 outputs, 64 terms of each sum at
// a time. So few outputs need only 16 threads with 8 x 8 sums, so the terms of a step are cut into eight slices, and 16
// threads sum the whole tile over each slice. At the end the sums are added in the order of the slices, and each slice
// stores one of a thread's eight rows. A workgroup has 128 threads this way, and waits once for 64 terms.
// As in block_tile.wgsl the next step is loaded before the present one is multiplied.
// Shapes: inp (M, K), weight (N, K), bias (N), residual and out (M, N); N and K are multiples of four.
// Constants: BITS, MINIMUM, HAS_BIAS, HAS_RESIDUAL, LOW_RANK (low_rank1.wgsl), GATED (gated1.wgsl), REST: 0 if 64 divides
// K, else 1.
// @registers many
// @include grid
// @include quant
// @include quant_words
// @include low_rank LOW_RANK
// @include gated GATED
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> inp: array<vec4f>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read> bias: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4f>;
// @repeat l LOW_RANK
@group(0) @binding(7) var<storage, read> mid: array<vec4f>;
@group(0) @binding(8) var<storage, read> B: array<vec4f>;
// @end
const THREADS = 128u;
const SLICES = 8u;
// Threads of a slice: ACROSS along the columns, each with two fours of them, and four along the rows.
const ACROSS = 4u;
const SLICE_THREADS = 16u;
const TILE_M = 32u;
const TILE_N = 32u;
const COLUMNS = TILE_N / 4u;
// Fours of terms in a step; a slice has two.
const FOURS = 16u;
var<workgroup> rows: array<vec4f, FOURS * TILE_M>;
// Each term of a four has the columns in fours.
var<workgroup> columns: array<vec4f, FOURS * 4u * COLUMNS>;

// @include block_store_nt
// @include few_store LOW_RANK

// Values of four codes in a word from bit `shift`. s: scale and minimum.
fn four_of(word: u32, shift: u32, s: vec2f) -> vec4f {
  if (BITS == 8u) { return values_of(signed_bytes(word), s); }
  return values_of(nibbles(word, shift), s);
}

@compute @workgroup_size(THREADS)
fn quant_matmul_nt_few(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let K = p.K / 4u;
  let G = groups_of(p.K);
  let across = (p.N + TILE_N - 1u) / TILE_N;
  let tile = linear_workgroup(wg, count);
  let m0 = tile / across * TILE_M;
  let n0 = tile % across * TILE_N;
  if (m0 >= p.M) { return; }
  // A thread stages four fours of one row, and one four of four columns. Neighbouring threads write neighbouring rows and
  // columns. The remainders prove to the browser's compiler that an index is in range (block_place.wgsl).
  let row = lane % TILE_M;
  let row_four = lane / TILE_M % 4u * 4u;
  let of_row = (m0 + row) * K + row_four;
  let row_at = row_four * TILE_M + row;
  let four = lane / COLUMNS % FOURS;
  let column = column_of(n0, lane % COLUMNS) * 4u;
  let column_at = four * 4u * COLUMNS + lane % COLUMNS;
  let shift = four % 2u * 16u;
  // @repeat i 4
  let of_column$i = (column + $iu) * G * BITS + four * BITS / 8u;
  // @end
  // Its sums: row y + 4 s of the tile for each slice s, and the fours j of columns.
  let slice = lane / SLICE_THREADS % SLICES;
  let y = lane / ACROSS % 4u;
  let x = lane % ACROSS;
  let row_of_sums = slice * 2u * TILE_M + y;
  let column_of_sums = slice * 8u * COLUMNS + x;
  // @repeat s 8
  // @repeat j 2
  var acc$s_$j = vec4f();
  // @end
  // @end
  // @repeat i 4
  var a$i = inp[of_row + $iu];
  var b$i = codes[of_column$i];
  var s$i = scale_word(column + $iu, four / 8u, G);
  // @end
  let last = (K - 1u) / FOURS * FOURS;
  for (var k = 0u; k < K; k += FOURS) {
    // @repeat r REST
    // Weights past K meet zeros, and are finite.
    // @repeat i 4
    a$i = select(vec4f(), a$i, k + row_four + $iu < K);
    // @end
    // @end
    let g = (k + four) / 8u;
    workgroupBarrier();
    // @repeat i 4
    rows[row_at + $iu * TILE_M] = a$i;
    let w$i = four_of(b$i, shift, scale_from(s$i, g));
    // @end
    // @repeat t 4
    columns[column_at + $tu * COLUMNS] = vec4f(w0[$t], w1[$t], w2[$t], w3[$t]);
    // @end
    workgroupBarrier();
    let next = min(k + FOURS, last);
    // @repeat i 4
    a$i = inp[of_row + next + $iu];
    b$i = codes[of_column$i + next * BITS / 8u];
    s$i = scale_word(column + $iu, next / 8u + four / 8u, G);
    // @end
    // @repeat f 2
    // @repeat s 8
    let a$f_$s = rows[row_of_sums + $fu * TILE_M + $su * 4u];
    // @end
    // @repeat t 4
    // @repeat j 2
    let b$f_$t_$j = columns[column_of_sums + ($fu * 4u + $tu) * COLUMNS + $ju * ACROSS];
    // @end
    // @repeat s 8
    // @repeat j 2
    acc$s_$j = fma(vec4f(a$f_$s[$t]), b$f_$t_$j, acc$s_$j);
    // @end
    // @end
    // @end
    // @end
  }
  // Slice s gets row y + 4 s from all slices.
  // @repeat j 2
  var sum$j = vec4f();
  // @end
  // @repeat s 8
  workgroupBarrier();
  // @repeat j 2
  columns[$ju * THREADS + lane % THREADS] = acc$s_$j;
  // @end
  workgroupBarrier();
  if (slice == $su) {
    for (var other = 0u; other < SLICES; other++) {
      // @repeat j 2
      sum$j += columns[$ju * THREADS + other * SLICE_THREADS + lane % SLICE_THREADS];
      // @end
    }
  }
  // @end
  // The columns of a thread past the last gate are those of ups, which other threads write.
  if (GATED == 1u && column_of(n0, x) >= p.N / 8u) { return; }
  let m = m0 + slice * 4u + y;
  // @repeat j 2
  let value$j = store_few(m, column_of(n0, x + $ju * ACROSS), sum$j);
  // @end
  // @repeat g GATED
  activate(m, column_of(n0, x), value0, value1);
  // @end
}
