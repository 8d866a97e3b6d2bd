// out[target[u], c] += sum over the entries e in [start[u], start[u+1]) of scale(e) * table[source[e], c]: adds rows
// into rows, without atomics and in a fixed order. Used by the backward of the embedding (target: token id, source:
// position of the token), of the head (gradients of scored rows into the tokens that predicted them) and of the masked
// head (entries of a vocabulary row).
// lists holds, one after another from listOffset: target (U), start (U + 1), source (E) and, if SCALED, the index of
// each entry's scale (E).
// Shapes: table (?, C), out (?, C), scale (E). One thread per element of a target row. Constants: SCALED, WIDTH (1),
// BITS of the table.
// @include elem WIDTH
// @include table BITS
// @include grid
struct Params { U: u32, C: u32, listOffset: u32, E: u32, scalesAt: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> lists: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<TABLE>;
@group(0) @binding(3) var<storage, read> scale: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn scatter_rows(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = linear_workgroup(wg, count) * 64u + lane;
  if (i >= p.U * p.C) { return; }
  let u = i / p.C;
  let c = i % p.C;
  let starts = p.listOffset + p.U;
  let sources = starts + p.U + 1u;
  var sum = 0.0;
  for (var e = lists[starts + u]; e < lists[starts + u + 1u]; e++) {
    let value = table_at(lists[sources + e], c, p.C);
    if (SCALED == 1u) { sum += scale[lists[sources + p.E + e]] * value; } else { sum += value; }
  }
  out[lists[p.listOffset + u] * p.C + c] += sum;
}
