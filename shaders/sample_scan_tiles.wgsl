// sample_scan of many vocabulary tiles at once: one workgroup per row and tile. sample_merge_tiles then adds the tiles in
// the order in which sample_scan does.
// Shapes: logits (R, W) of vocabulary rows [first, first + W), states (R, TILES, 8), the state of a row after each tile
// alone. `first` is a multiple of TILE. Constants: TILE, rows of a tile; TILES, tiles of the vocabulary.
// @include grid
// @include row
// @include random
// @include online_softmax
// @include best
// @include sample_tile
struct Params { R: u32, W: u32, first: u32, seed: u32, stream: u32, inverseTemperature: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> logits: array<f32>;
@group(0) @binding(2) var<storage, read> rows: array<Row>;
@group(0) @binding(3) var<storage, read_write> states: array<vec4f>;

@compute @workgroup_size(64)
fn sample_scan_tiles(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let each = (p.W + TILE - 1u) / TILE;
  let i = linear_workgroup(wg, count);
  let r = i / each;
  let row = rows[min(r, p.R - 1u)];
  let running = r < p.R && row.finished == 0u && row.constrained == 0u;
  let begin = i % each * TILE;
  scan_tile(r, row, running, begin, min(begin + TILE, p.W), lane);
  if (lane != 0u || !running) { return; }
  let at = (r * TILES + (p.first + begin) / TILE) * 2u;
  states[at] = vec4f(bests[0].key, bests[0].logit, f32(bests[0].index), 0.0);
  states[at + 1u] = vec4f(sums[0].m, sums[0].s, 0.0, 0.0);
}
