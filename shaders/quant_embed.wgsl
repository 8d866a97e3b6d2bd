// out[t, c] = value c of packed row ids[t] - first, for the tokens whose vocabulary row lies in [first, first + rows):
// the slice of the embedding that one binding holds.
// Shapes: ids (T), codes and scales of (rows, C), out (T, C). One thread per element. Constants: BITS, MINIMUM.
// @include grid
// @include quant
// @include quant_words
struct Params { T: u32, C: u32, first: u32, rows: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> ids: array<u32>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> scales: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn quant_embed(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * p.C) { return; }
  let row = ids[i / p.C] - p.first;
  if (row >= p.rows) { return; }
  let c = i % p.C;
  let G = groups_of(p.C);
  out[i] = value_of(row, c, G);
}
