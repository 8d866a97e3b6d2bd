// Scans one vocabulary tile for each unconstrained row: updates the best logit / temperature + Gumbel noise so far and
// the running softmax.
// Shapes: logits (R, W) of vocabulary rows [first, first + W), state (R, 8) = best key, best logit, best token, 0, m,
// s. The token is stored as a float value: the bits of a small integer would be a subnormal float, which an adapter may
// flush to zero. One workgroup per row.
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
@group(0) @binding(3) var<storage, read_write> state: array<vec4f>;

@compute @workgroup_size(64)
fn sample_scan(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let r = linear_workgroup(wg, count);
  let live = r < p.R;
  let row = rows[min(r, p.R - 1u)];
  let running = live && row.finished == 0u && row.constrained == 0u;
  scan_tile(r, row, running, 0u, p.W, lane);
  if (lane != 0u || !running) { return; }
  var total = sums[0];
  var chosen = bests[0];
  if (p.first > 0u) {
    let a = state[r * 2u];
    let b = state[r * 2u + 1u];
    chosen = better(Best(a.x, a.y, u32(a.z)), chosen);
    total = softmax_merge(Softmax(b.x, b.y, 0.0), total);
  }
  state[r * 2u] = vec4f(chosen.key, chosen.logit, f32(chosen.index), 0.0);
  state[r * 2u + 1u] = vec4f(total.m, total.s, 0.0, 0.0);
}
