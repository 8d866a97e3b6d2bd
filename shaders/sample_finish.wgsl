// Chooses the token of each unconstrained row after the last vocabulary tile, with its log-probability. A stop token
// ends the row's turn.
// Shapes: state (R, 8), stops (count, tokens...). One thread per row.
// @include token
// @include row
struct Params { R: u32, step: u32, trash: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> state: array<vec4f>;
@group(0) @binding(2) var<storage, read> stops: array<u32>;
@group(0) @binding(3) var<storage, read_write> rows: array<Row>;
@group(0) @binding(4) var<storage, read_write> ids: array<u32>;
@group(0) @binding(5) var<storage, read_write> tokens: array<Token>;
@group(0) @binding(6) var<storage, read_write> outTokens: array<u32>;
@group(0) @binding(7) var<storage, read_write> outLogprobs: array<f32>;
// @include sample_advance

@compute @workgroup_size(64)
fn sample_finish(@builtin(global_invocation_id) id: vec3u) {
  let r = id.x;
  if (r >= p.R || rows[r].constrained == 1u) { return; }
  if (rows[r].finished != 0u) { rest(r); return; }
  let a = state[r * 2u];
  let b = state[r * 2u + 1u];
  let token = u32(a.z);
  var finished = 0u;
  for (var k = 0u; k < stops[0]; k++) {
    if (stops[k + 1u] == token) { finished = 2u; }
  }
  advance(r, token, (a.y - b.x) - log(b.y), finished);
}
