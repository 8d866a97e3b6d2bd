// dk | dv like attention_backward_key, through workgroup memory. A workgroup keeps the gradients of ROWS keys of one
// key head in registers and iterates over the rows (tokens times query heads) that may see them, 32 at a time: it
// computes scores and dp from slices, then dv += p dout and dk += p (dp - delta) q / sqrt(D). The order of the rows is
// fixed, so the bits are reproducible.
// Shapes: as attention_backward_key.
// Thread (sx, sy) scores keys sy + 8 i against rows 4 sx + j, and sums keys y + LY i over columns x + LX j.
// Constants: as attention_forward_tiled.
// @registers many
// @include stage STAGE_BITS
// @include grid
// @include token
struct Params { T: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tokens: array<Token>;
@group(0) @binding(2) var<storage, read> query: array<vec4f>;
@group(0) @binding(3) var<storage, read> cache: array<vec4f>;
@group(0) @binding(4) var<storage, read> lse: array<f32>;
@group(0) @binding(5) var<storage, read> dout: array<vec4f>;
@group(0) @binding(6) var<storage, read> delta: array<f32>;
@group(0) @binding(7) var<storage, read_write> dcache: array<vec4f>;
// @include kv0
// @include staging
// Slices of keys, values, queries and output gradients for the scores; later VK whole rows of output gradients or
// queries.
var<workgroup> staged: array<STAGE, STAGED>;
var<workgroup> weights: array<vec4f, ROWS * 9>;
const LEFT = SW * (ROWS + 1u);
const RIGHT = 2u * LEFT;
const LAST = RIGHT + SW * 33u;

// For each of 32 rows: the two ranges of keys it sees (prefix, own sequence), its lse and delta, and its number in
// query and dout.
var<workgroup> ranges: array<vec4u, 32>;
var<workgroup> scalars: array<vec2f, 32>;
var<workgroup> rows: array<u32, 32>;

fn sees(range: vec4u, j: u32) -> bool { return (j >= range.x && j < range.y) || (j >= range.z && j < range.w); }

@compute @workgroup_size(64)
fn attention_backward_key_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = linear_workgroup(wg, count);
  let first = index / KV * ROWS;
  if (first >= p.T) { return; }
  let kv_head = index % KV;
  let last = min(first + ROWS, p.T);
  var end = 0u;
  for (var j = first; j < last; j++) { end = max(end, tokens[j].queryEnd); }
  // Row n is token first + n / G, query head kv_head G + n % G.
  let total = (end - first) * G;
  let sx = lane % 8u;
  let sy = lane / 8u;
  let x = lane % LX;
  let y = lane / LX;
  // @repeat i RO
  // @repeat j CO
  var dk$i_$j = vec4f();
  var dv$i_$j = vec4f();
  // @end
  // @end
  for (var n0 = 0u; n0 < total; n0 += 32u) {
    if (lane < 32u) {
      let n = min(n0 + lane, total - 1u);
      let at = (first + n / G) * H + kv_head * G + n % G;
      let token = tokens[first + n / G];
      ranges[lane] = select(vec4u(), vec4u(token.prefixStart, token.prefixEnd, token.ownStart, token.ownEnd), n0 + lane < total);
      scalars[lane] = vec2f(lse[at], delta[at]);
      rows[lane] = at;
    }
    // @repeat i SR
    var s$i = vec4f();
    var g$i = vec4f();
    // @end
    for (var e0 = 0u; e0 < E; e0 += SW) {
      workgroupBarrier();
      // @repeat t KEY_TURNS
      let row_at$t = rows[part($tu, lane, 32u * SW) / SW] * E + e0 + part($tu, lane, 32u * SW) % SW;
      // @end
      // @repeat t ROW_TURNS
      let key_row$t = min(first + part($tu, lane, ROWS * SW) / SW, last - 1u);
      let staged_key$t = cached(key_row$t, 0u, kv_head, e0 + part($tu, lane, ROWS * SW) % SW);
      let staged_value$t = cached(key_row$t, 1u, kv_head, e0 + part($tu, lane, ROWS * SW) % SW);
      // @end
      // @repeat t KEY_TURNS
      let staged_query$t = query[row_at$t];
      let staged_dout$t = dout[row_at$t];
      // @end
      // @repeat t ROW_TURNS
      if (in_part($tu, lane, ROWS * SW)) {
        let i = $tu * 64u + lane;
        staged[left_place(i)] = STAGE(staged_key$t);
        staged[LEFT + left_place(i)] = STAGE(staged_value$t);
      }
      // @end
      // @repeat t KEY_TURNS
      if (in_part($tu, lane, 32u * SW)) {
        let i = $tu * 64u + lane;
        staged[RIGHT + right_place(i)] = STAGE(staged_query$t * SCALE_F);
        staged[LAST + right_place(i)] = STAGE(staged_dout$t);
      }
      // @end
      workgroupBarrier();
      for (var e = 0u; e < SW; e++) {
        // @repeat j 4
        let q$j = vec4f(staged[RIGHT + e * 33u + $ju * 8u + sx]);
        let d$j = vec4f(staged[LAST + e * 33u + $ju * 8u + sx]);
        // @end
        // @repeat i SR
        let k$i = vec4f(staged[e * (ROWS + 1u) + sy + $iu * 8u]);
        let v$i = vec4f(staged[LEFT + e * (ROWS + 1u) + sy + $iu * 8u]);
        s$i += vec4f(dot(k$i, q0), dot(k$i, q1), dot(k$i, q2), dot(k$i, q3));
        g$i += vec4f(dot(v$i, d0), dot(v$i, d1), dot(v$i, d2), dot(v$i, d3));
        // @end
      }
    }
    // @repeat j 4
    let range$j = ranges[sx * 4u + $ju];
    let scalars$j = scalars[sx * 4u + $ju];
    // @end
    let ends = vec4f(scalars0.x, scalars1.x, scalars2.x, scalars3.x);
    let deltas = vec4f(scalars0.y, scalars1.y, scalars2.y, scalars3.y);
    // @repeat i SR
    let j$i = first + sy + $iu * 8u;
    let sees$i = vec4<bool>(sees(range0, j$i), sees(range1, j$i), sees(range2, j$i), sees(range3, j$i));
    let p$i = exp(select(vec4f(-1e30), s$i - ends, sees$i));
    g$i = p$i * (g$i - deltas);
    weights[(sy + $iu * 8u) * 9u + sx] = p$i;
    // @end
    // The same code computes dv first and dk second: after each pass the two accumulators swap.
    for (var half = 0u; half < 2u; half++) {
      for (var r0 = 0u; r0 < 32u; r0 += VK) {
        workgroupBarrier();
        // @repeat t SUM_TURNS
        let sum_at$t = rows[r0 + part($tu, lane, VK * E) / E] * E + part($tu, lane, VK * E) % E;
        var sum_row$t: vec4f;
        // @end
        if (half == 0u) {
          // @repeat t SUM_TURNS
          sum_row$t = dout[sum_at$t];
          // @end
        } else {
          // @repeat t SUM_TURNS
          sum_row$t = query[sum_at$t] * SCALE_F;
          // @end
        }
        // @repeat t SUM_TURNS
        if (in_part($tu, lane, VK * E)) { staged[$tu * 64u + lane] = STAGE(sum_row$t); }
        // @end
        workgroupBarrier();
        for (var four = 0u; four < VK / 4u; four++) {
          let r = four * 4u;
          // @repeat i RO
          let w$i = weights[(y + $iu * LY) * 9u + r0 / 4u + four];
          // @end
          // @repeat j CO
          let at$j = r * E + min(x + $ju * LX, E - 1u);
          let a$j = vec4f(staged[at$j]);
          let b$j = vec4f(staged[at$j + E]);
          let c$j = vec4f(staged[at$j + 2u * E]);
          let d$j = vec4f(staged[at$j + 3u * E]);
          // @repeat i RO
          dv$i_$j += w$i.x * a$j + w$i.y * b$j + w$i.z * c$j + w$i.w * d$j;
          // @end
          // @end
        }
      }
      workgroupBarrier();
      // @repeat i SR
      weights[(sy + $iu * 8u) * 9u + sx] = g$i;
      // @end
      // @repeat i RO
      // @repeat j CO
      let other$i_$j = dk$i_$j;
      dk$i_$j = dv$i_$j;
      dv$i_$j = other$i_$j;
      // @end
      // @end
    }
  }
  // @repeat i RO
  {
    let row = first + y + $iu * LY;
    if (row < last) {
      let at = (row * 2u * KV + kv_head) * E;
      // @repeat j CO
      if (x + $ju * LX < E) {
        dcache[at + x + $ju * LX] = dk$i_$j;
        dcache[at + KV * E + x + $ju * LX] = dv$i_$j;
      }
      // @end
    }
  }
  // @end
}
