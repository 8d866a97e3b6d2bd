// Causal attention like attention_forward, through workgroup memory (Dao 2023, algorithm 1). A workgroup computes ROWS
// rows (tokens times the query heads of a key head) over 32 keys at a time: scores from slices of SW vectors, their
// online softmax, then the weighted sum of the values. With SPLIT > 0 a workgroup covers SPLIT keys (Flash-Decoding,
// https://pytorch.org/blog/flash-decoding/) and writes unscaled sums, which attention_combine joins.
// Shapes: as attention_forward; tiles (count); with SPLIT, out is (T, H, splits, E + 1): the sum, then (largest score,
// sum of weights).
// Thread (sx, sy) scores rows sy + 8 i against keys 4 sx + j, and sums rows y + LY i over columns x + LX j.
// A thread loads all its vectors of a slice before it stores the first one, so that it waits for memory once.
// Constants: H, KV, G = H / KV, E = D / 4, SCALE_F, ROWS, SR = ROWS / 8, SW, LX, LY = 64 / LX, RO = ROWS / LY, CO >= E
// / LX, VK, STAGED, SPLIT, KV8, STAGE_BITS, SUBGROUPS, and the vectors that a thread stages: ROW_TURNS = ROWS SW / 64,
// KEY_TURNS = 32 SW / 64, SUM_TURNS = VK E / 64, each rounded up.
// @registers many
// @include stage STAGE_BITS
// @include grid
// @include token
struct Params { tiles: u32, splits: u32, prefixSplits: u32, pageBits: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tiles: array<Tile>;
@group(0) @binding(2) var<storage, read> tokens: array<Token>;
@group(0) @binding(3) var<storage, read> pages: array<u32>;
@group(0) @binding(4) var<storage, read> query: array<vec4f>;
@group(0) @binding(5) var<storage, read> cache: array<CACHED>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> lse: array<f32>;
// @include kv KV8
// @include pages
// @include attention_tile
// @include staging
// @include row_max SUBGROUPS
// Slices of queries and keys for the scores; later VK whole values.
var<workgroup> staged: array<STAGE, STAGED>;
// Weights of a row for 32 keys, four per vector. A row takes nine vectors instead of eight, so that rows start in
// different banks.
var<workgroup> weights: array<vec4f, ROWS * 9>;
var<workgroup> factors: array<f32, ROWS>;
var<workgroup> shares: array<f32, ROWS * 8>;
var<workgroup> key_rows: array<u32, 32>;
const RIGHT = SW * (ROWS + 1u);

@compute @workgroup_size(64)
fn attention_forward_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = linear_workgroup(wg, count);
  if (index >= p.tiles * KV) { return; }
  let tile = tiles[index / KV];
  let kv_head = index % KV;
  let keys = keys_of(tile);
  let rows = tile.count * G;
  var begin = 0u;
  var to = keys.all;
  if (SPLIT > 0u) {
    begin = tile.split * SPLIT;
    if (tile.own == 1u) { begin += keys.prefix; } else { to = keys.prefix; }
    if (begin >= to) { return; }
    to = min(to, begin + SPLIT);
  }
  let sx = lane % 8u;
  let sy = lane / 8u;
  let x = lane % LX;
  let y = lane / LX;
  // @repeat i SR
  let own$i = own_keys(keys, tokens[tile.first + min(sy + $iu * 8u, rows - 1u) / G]);
  var m$i = -1e30;
  var l$i = 0.0;
  // @end
  // @repeat i RO
  // @repeat j CO
  var acc$i_$j = vec4f();
  // @end
  // @end
  // @repeat t ROW_TURNS
  let query_row$t = min(part($tu, lane, ROWS * SW) / SW, rows - 1u);
  let query_at$t = ((tile.first + query_row$t / G) * H + kv_head * G + query_row$t % G) * E + part($tu, lane, ROWS * SW) % SW;
  // @end
  for (var j0 = begin; j0 < to; j0 += 32u) {
    if (lane < 32u) { key_rows[lane] = physical(row_of(keys, min(j0 + lane, to - 1u))); }
    // @repeat i SR
    var s$i = vec4f();
    // @end
    for (var e0 = 0u; e0 < E; e0 += SW) {
      workgroupBarrier();
      // @repeat t KEY_TURNS
      let key_row$t = key_rows[part($tu, lane, 32u * SW) / SW];
      // @end
      // @repeat t ROW_TURNS
      let staged_query$t = query[query_at$t + e0];
      // @end
      // @repeat t KEY_TURNS
      let staged_key$t = cached(key_row$t, 0u, kv_head, e0 + part($tu, lane, 32u * SW) % SW);
      // @end
      // @repeat t ROW_TURNS
      if (in_part($tu, lane, ROWS * SW)) {
        let i = $tu * 64u + lane;
        staged[left_place(i)] = STAGE(staged_query$t * SCALE_F);
      }
      // @end
      // @repeat t KEY_TURNS
      if (in_part($tu, lane, 32u * SW)) {
        let i = $tu * 64u + lane;
        staged[RIGHT + right_place(i)] = STAGE(staged_key$t);
      }
      // @end
      workgroupBarrier();
      for (var e = 0u; e < SW; e++) {
        // @repeat j 4
        let k$j = vec4f(staged[RIGHT + e * 33u + $ju * 8u + sx]);
        // @end
        // @repeat i SR
        let q$i = vec4f(staged[e * (ROWS + 1u) + sy + $iu * 8u]);
        s$i += vec4f(dot(q$i, k0), dot(q$i, k1), dot(q$i, k2), dot(q$i, k3));
        // @end
      }
    }
    let js = vec4u(j0 + sx * 4u) + vec4u(0u, 1u, 2u, 3u);
    let seen = js < vec4u(to);
    // @repeat i SR
    let sees$i = seen & ((js < vec4u(keys.prefix)) | ((js >= vec4u(own$i.x)) & (js < vec4u(own$i.y))));
    s$i = select(vec4f(-1e30), s$i, sees$i);
    let top$i = max(max(s$i.x, s$i.y), max(s$i.z, s$i.w));
    publish(sy + $iu * 8u, sx, top$i);
    // @end
    settle();
    // @repeat i SR
    let next$i = max(m$i, collect(sy + $iu * 8u, top$i));
    let rescale$i = exp(m$i - next$i);
    m$i = next$i;
    let w$i = select(vec4f(), exp(s$i - vec4f(next$i)), sees$i);
    l$i = l$i * rescale$i + dot(w$i, vec4f(1.0));
    weights[(sy + $iu * 8u) * 9u + sx] = w$i;
    if (sx == 0u) { factors[sy + $iu * 8u] = rescale$i; }
    // @end
    for (var k0 = 0u; k0 < 32u; k0 += VK) {
      workgroupBarrier();
      // @repeat t SUM_TURNS
      let value_row$t = key_rows[k0 + part($tu, lane, VK * E) / E];
      // @end
      // @repeat t SUM_TURNS
      let staged_value$t = cached(value_row$t, 1u, kv_head, part($tu, lane, VK * E) % E);
      // @end
      // @repeat t SUM_TURNS
      if (in_part($tu, lane, VK * E)) { staged[$tu * 64u + lane] = STAGE(staged_value$t); }
      // @end
      workgroupBarrier();
      if (k0 == 0u) {
        // @repeat i RO
        let factor$i = factors[y + $iu * LY];
        // @repeat j CO
        acc$i_$j *= factor$i;
        // @end
        // @end
      }
      for (var four = 0u; four < VK / 4u; four++) {
        let k = four * 4u;
        // @repeat i RO
        let p$i = weights[(y + $iu * LY) * 9u + k0 / 4u + four];
        // @end
        // @repeat j CO
        let at$j = k * E + min(x + $ju * LX, E - 1u);
        let a$j = vec4f(staged[at$j]);
        let b$j = vec4f(staged[at$j + E]);
        let c$j = vec4f(staged[at$j + 2u * E]);
        let d$j = vec4f(staged[at$j + 3u * E]);
        // @repeat i RO
        acc$i_$j += p$i.x * a$j + p$i.y * b$j + p$i.z * c$j + p$i.w * d$j;
        // @end
        // @end
      }
    }
  }
  workgroupBarrier();
  // @repeat i SR
  shares[(sy + $iu * 8u) * 8u + sx] = l$i;
  if (sx == 0u) { factors[sy + $iu * 8u] = m$i; }
  // @end
  workgroupBarrier();
  if (lane < ROWS) {
    var sum = 0.0;
    for (var s = 0u; s < 8u; s++) { sum += shares[lane * 8u + s]; }
    let largest = factors[lane];
    factors[lane] = select(1.0 / max(sum, 1e-30), 1.0, SPLIT > 0u);
    if (lane < rows) {
      let at = (tile.first + lane / G) * H + kv_head * G + lane % G;
      if (SPLIT > 0u) { out[(at * p.splits + tile.split + tile.own * p.prefixSplits) * (E + 1u) + E] = vec4f(largest, sum, 0.0, 0.0); }
      else { lse[at] = largest + log(max(sum, 1e-30)); }
    }
  }
  workgroupBarrier();
  // @repeat i RO
  {
    let r = y + $iu * LY;
    let scale = factors[r];
    let at = (tile.first + r / G) * H + kv_head * G + r % G;
    let base = select(at * E, (at * p.splits + tile.split + tile.own * p.prefixSplits) * (E + 1u), SPLIT > 0u);
    // @repeat j CO
    if (r < rows && x + $ju * LX < E) { out[base + x + $ju * LX] = acc$i_$j * scale; }
    // @end
  }
  // @end
}
