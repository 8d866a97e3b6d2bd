// dk | dv as attention_backward_key, by way of workgroup memory: a workgroup keeps the gradients of ROWS keys of one key head in
// registers and walks over the rows (tokens times query heads) that may see them, 32 at a time: scores and dp from slices, then
// dv += p dout and dk += p (dp - delta) q / sqrt(D). Rows are added in order: the same bits each time.
// Shapes: as attention_backward_key. Thread (sx, sy) scores keys sy + 8 i against rows 4 sx + j, and sums keys y + LY i over columns
// x + LX j. Constants as attention_forward_tiled.
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
// Slices of keys, values, queries and output gradients, then output gradients or queries: E vectors each of VK rows.
var<workgroup> staged: array<STAGE, STAGED>;
var<workgroup> weights: array<vec4f, ROWS * 9>;
const LEFT = SW * (ROWS + 1u);
const RIGHT = 2u * LEFT;
const LAST = RIGHT + SW * 33u;

// Whether a token's queries see key j.
fn sees(token: Token, j: u32) -> bool {
  return (j >= token.prefixStart && j < token.prefixEnd) || (j >= token.ownStart && j < token.ownEnd);
}

@compute @workgroup_size(64)
fn attention_backward_key_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = linear_workgroup(wg, count);
  let first = index / KV * ROWS;
  if (first >= p.T) { return; }
  let kv_head = index % KV;
  let last = min(first + ROWS, p.T);
  var end = 0u;
  for (var j = first; j < last; j++) { end = max(end, tokens[j].queryEnd); }
  // Rows of queries: token first + n / G, head kv_head G + n % G.
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
    // @repeat i SR
    var s$i = vec4f();
    var g$i = vec4f();
    // @end
    for (var e0 = 0u; e0 < E; e0 += SW) {
      workgroupBarrier();
      for (var i = lane; i < ROWS * SW; i += 64u) {
        let k = i / SW;
        let e = i % SW;
        let row = min(first + k, last - 1u);
        staged[e * (ROWS + 1u) + k] = STAGE(cached(row, 0u, kv_head, e0 + e));
        staged[LEFT + e * (ROWS + 1u) + k] = STAGE(cached(row, 1u, kv_head, e0 + e));
      }
      for (var i = lane; i < 32u * SW; i += 64u) {
        let r = i / SW;
        let e = i % SW;
        let n = min(n0 + r, total - 1u);
        let at = ((first + n / G) * H + kv_head * G + n % G) * E + e0 + e;
        let place = e * 33u + (r & 3u) * 8u + (r >> 2u);
        staged[RIGHT + place] = STAGE(query[at] * SCALE_F);
        staged[LAST + place] = STAGE(dout[at]);
      }
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
    let num$j = n0 + sx * 4u + $ju;
    let at$j = min(num$j, total - 1u);
    let token$j = tokens[first + at$j / G];
    let where$j = (first + at$j / G) * H + kv_head * G + at$j % G;
    // @end
    let ends = vec4f(lse[where0], lse[where1], lse[where2], lse[where3]);
    let deltas = vec4f(delta[where0], delta[where1], delta[where2], delta[where3]);
    // @repeat i SR
    let j$i = first + sy + $iu * 8u;
    let sees$i = vec4<bool>(
      num0 < total && sees(token0, j$i), num1 < total && sees(token1, j$i),
      num2 < total && sees(token2, j$i), num3 < total && sees(token3, j$i));
    let p$i = exp(select(vec4f(-1e30), s$i - ends, sees$i));
    g$i = p$i * (g$i - deltas);
    weights[(sy + $iu * 8u) * 9u + sx] = p$i;
    // @end
    // @repeat pass 2
    for (var r0 = 0u; r0 < 32u; r0 += VK) {
      workgroupBarrier();
      for (var i = lane; i < VK * E; i += 64u) {
        let n = min(n0 + r0 + i / E, total - 1u);
        let at = ((first + n / G) * H + kv_head * G + n % G) * E + i % E;
        if ($passu == 0u) { staged[i] = STAGE(dout[at]); } else { staged[i] = STAGE(query[at] * SCALE_F); }
      }
      workgroupBarrier();
      for (var r = 0u; r < VK; r += 4u) {
        // @repeat i RO
        let w$i = weights[(y + $iu * LY) * 9u + (r0 + r) / 4u];
        // @end
        // @repeat j CO
        let at$j = r * E + min(x + $ju * LX, E - 1u);
        let a$j = vec4f(staged[at$j]);
        let b$j = vec4f(staged[at$j + E]);
        let c$j = vec4f(staged[at$j + 2u * E]);
        let d$j = vec4f(staged[at$j + 3u * E]);
        // @repeat i RO
        if ($passu == 0u) {
          dv$i_$j += w$i.x * a$j + w$i.y * b$j + w$i.z * c$j + w$i.w * d$j;
        } else {
          dk$i_$j += w$i.x * a$j + w$i.y * b$j + w$i.z * c$j + w$i.w * d$j;
        }
        // @end
        // @end
      }
    }
    if ($passu == 0u) {
      workgroupBarrier();
      // @repeat i SR
      weights[(sy + $iu * 8u) * 9u + sx] = g$i;
      // @end
    }
    // @end
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
