// dquery like attention_backward_query, through workgroup memory. For every 32 keys it computes scores and dp = dout .
// v from the same slices, then dquery += p (dp - delta) k / sqrt(D). delta comes from attention_delta.
// Tiles, threads and constants: as attention_forward_tiled.
// @registers many
// @include stage STAGE_BITS
// @include grid
// @include token
struct Params { tiles: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> tiles: array<Tile>;
@group(0) @binding(2) var<storage, read> tokens: array<Token>;
@group(0) @binding(3) var<storage, read> query: array<vec4f>;
@group(0) @binding(4) var<storage, read> cache: array<vec4f>;
@group(0) @binding(5) var<storage, read> lse: array<f32>;
@group(0) @binding(6) var<storage, read> dout: array<vec4f>;
@group(0) @binding(7) var<storage, read> delta: array<f32>;
@group(0) @binding(8) var<storage, read_write> dquery: array<vec4f>;
// @include kv0
// @include attention_tile
// @include staging
// Slices of queries, output gradients, keys and values for the scores; later VK whole keys.
var<workgroup> staged: array<STAGE, STAGED>;
var<workgroup> weights: array<vec4f, ROWS * 9>;
const LEFT = SW * (ROWS + 1u);
const RIGHT = 2u * LEFT;
const LAST = RIGHT + SW * 33u;

@compute @workgroup_size(64)
fn attention_backward_query_tiled(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = linear_workgroup(wg, count);
  if (index >= p.tiles * KV) { return; }
  let tile = tiles[index / KV];
  let kv_head = index % KV;
  let keys = keys_of(tile);
  let rows = tile.count * G;
  let to = keys.all;
  let sx = lane % 8u;
  let sy = lane / 8u;
  let x = lane % LX;
  let y = lane / LX;
  // @repeat i SR
  let row$i = min(sy + $iu * 8u, rows - 1u);
  let at$i = (tile.first + row$i / G) * H + kv_head * G + row$i % G;
  let own$i = own_keys(keys, tokens[tile.first + row$i / G]);
  let lse$i = lse[at$i];
  let delta$i = delta[at$i];
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
  for (var j0 = 0u; j0 < to; j0 += 32u) {
    // @repeat i SR
    var s$i = vec4f();
    var g$i = vec4f();
    // @end
    for (var e0 = 0u; e0 < E; e0 += SW) {
      workgroupBarrier();
      // @repeat t ROW_TURNS
      let staged_query$t = query[query_at$t + e0];
      let staged_dout$t = dout[query_at$t + e0];
      // @end
      // @repeat t KEY_TURNS
      let key_row$t = row_of(keys, min(j0 + part($tu, lane, 32u * SW) / SW, to - 1u));
      let staged_key$t = cached(key_row$t, 0u, kv_head, e0 + part($tu, lane, 32u * SW) % SW);
      let staged_value$t = cached(key_row$t, 1u, kv_head, e0 + part($tu, lane, 32u * SW) % SW);
      // @end
      // @repeat t ROW_TURNS
      if (in_part($tu, lane, ROWS * SW)) {
        let i = $tu * 64u + lane;
        staged[left_place(i)] = STAGE(staged_query$t * SCALE_F);
        staged[LEFT + left_place(i)] = STAGE(staged_dout$t);
      }
      // @end
      // @repeat t KEY_TURNS
      if (in_part($tu, lane, 32u * SW)) {
        let i = $tu * 64u + lane;
        staged[RIGHT + right_place(i)] = STAGE(staged_key$t);
        staged[LAST + right_place(i)] = STAGE(staged_value$t);
      }
      // @end
      workgroupBarrier();
      for (var e = 0u; e < SW; e++) {
        // @repeat j 4
        let k$j = vec4f(staged[RIGHT + e * 33u + $ju * 8u + sx]);
        let v$j = vec4f(staged[LAST + e * 33u + $ju * 8u + sx]);
        // @end
        // @repeat i SR
        let q$i = vec4f(staged[e * (ROWS + 1u) + sy + $iu * 8u]);
        let d$i = vec4f(staged[LEFT + e * (ROWS + 1u) + sy + $iu * 8u]);
        s$i += vec4f(dot(q$i, k0), dot(q$i, k1), dot(q$i, k2), dot(q$i, k3));
        g$i += vec4f(dot(d$i, v0), dot(d$i, v1), dot(d$i, v2), dot(d$i, v3));
        // @end
      }
    }
    let js = vec4u(j0 + sx * 4u) + vec4u(0u, 1u, 2u, 3u);
    // @repeat i SR
    let sees$i = (js < vec4u(keys.prefix)) | ((js >= vec4u(own$i.x)) & (js < vec4u(own$i.y)));
    let p$i = exp(select(vec4f(-1e30), s$i - vec4f(lse$i), sees$i));
    weights[(sy + $iu * 8u) * 9u + sx] = p$i * (g$i - vec4f(delta$i)) * SCALE_F;
    // @end
    for (var k0 = 0u; k0 < 32u; k0 += VK) {
      workgroupBarrier();
      // @repeat t SUM_TURNS
      let sum_row$t = row_of(keys, min(j0 + k0 + part($tu, lane, VK * E) / E, to - 1u));
      let sum_key$t = cached(sum_row$t, 0u, kv_head, part($tu, lane, VK * E) % E);
      // @end
      // @repeat t SUM_TURNS
      if (in_part($tu, lane, VK * E)) { staged[$tu * 64u + lane] = STAGE(sum_key$t); }
      // @end
      workgroupBarrier();
      for (var four = 0u; four < VK / 4u; four++) {
        let k = four * 4u;
        // @repeat i RO
        let w$i = weights[(y + $iu * LY) * 9u + k0 / 4u + four];
        // @end
        // @repeat j CO
        let at$j = k * E + min(x + $ju * LX, E - 1u);
        let a$j = vec4f(staged[at$j]);
        let b$j = vec4f(staged[at$j + E]);
        let c$j = vec4f(staged[at$j + 2u * E]);
        let d$j = vec4f(staged[at$j + 3u * E]);
        // @repeat i RO
        acc$i_$j += w$i.x * a$j + w$i.y * b$j + w$i.z * c$j + w$i.w * d$j;
        // @end
        // @end
      }
    }
  }
  // @repeat i RO
  {
    let r = y + $iu * LY;
    if (r < rows) {
      let at = ((tile.first + r / G) * H + kv_head * G + r % G) * E;
      // @repeat j CO
      if (x + $ju * LX < E) { dquery[at + x + $ju * LX] = acc$i_$j; }
      // @end
    }
  }
  // @end
}
