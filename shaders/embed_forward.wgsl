// out[t, c] = table[ids[t] - first, c] for the tokens whose vocabulary row lies in [first, first + rows): the slice of
// the embedding that one binding holds.
// Shapes: ids (T), table (rows, C), out (T, C). One thread per element.
// @include grid
struct Params { T: u32, C: u32, first: u32, rows: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> ids: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn embed_forward(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.T * p.C) { return; }
  let row = ids[i / p.C] - p.first;
  if (row < p.rows) { out[i] = table[row * p.C + i % p.C]; }
}
