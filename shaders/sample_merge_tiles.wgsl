// state (R, 8) of each running row from its states (R, TILES, 8) after each vocabulary tile (sample_scan_tiles), added
// in the order of the tiles. One workgroup per row: 64 threads load, one adds. Constant: TILES.
// @include grid
// @include row
// @include online_softmax
// @include best
struct Params { R: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> rows: array<Row>;
@group(0) @binding(2) var<storage, read> states: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> state: array<vec4f>;
var<workgroup> tiles: array<vec4f, 128>;

@compute @workgroup_size(64)
fn sample_merge_tiles(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let r = linear_workgroup(wg, count);
  if (r >= p.R) { return; }
  var chosen = Best(-1e30, 0.0, 0xffffffffu);
  var total = softmax_empty();
  for (var begin = 0u; begin < TILES; begin += 64u) {
    let at = (r * TILES + min(begin + lane, TILES - 1u)) * 2u;
    workgroupBarrier();
    tiles[lane * 2u] = states[at];
    tiles[lane * 2u + 1u] = states[at + 1u];
    workgroupBarrier();
    if (lane == 0u) {
      for (var i = 0u; i < min(64u, TILES - begin); i++) {
        let a = tiles[i * 2u];
        let b = tiles[i * 2u + 1u];
        chosen = better(chosen, Best(a.x, a.y, u32(a.z)));
        total = softmax_merge(total, Softmax(b.x, b.y, 0.0));
      }
    }
  }
  if (lane != 0u || rows[r].finished != 0u || rows[r].constrained == 1u) { return; }
  state[r * 2u] = vec4f(chosen.key, chosen.logit, f32(chosen.index), 0.0);
  state[r * 2u + 1u] = vec4f(total.m, total.s, 0.0, 0.0);
}
