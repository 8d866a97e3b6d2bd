// Masked head: the logits of each scored row for its allowed tokens only, divided by the temperature.
// Shapes: lists = entryRow (E) at rowOffset and entryToken (E) at tokenOffset, hidden (N, C), table (V, C), logits (E).
// One thread per entry. Constants: WIDTH, BITS of the table.
// @include elem WIDTH
// @include table BITS
// @include grid
struct Params { E: u32, C: u32, rowOffset: u32, tokenOffset: u32, inverseTemperature: f32, scalesAt: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> lists: array<u32>;
@group(0) @binding(2) var<storage, read> hidden: array<ELEM>;
@group(0) @binding(3) var<storage, read> table: array<TABLE>;
@group(0) @binding(4) var<storage, read_write> logits: array<f32>;

@compute @workgroup_size(64)
fn head_sparse_logits(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let e = linear_workgroup(wg, count) * 64u + lane;
  if (e >= p.E) { return; }
  let C = p.C / WIDTH;
  let a = lists[p.rowOffset + e] * C;
  let token = lists[p.tokenOffset + e];
  var product = splat(0.0);
  for (var c = 0u; c < C; c++) { product += hidden[a + c] * table_at(token, c, C); }
  logits[e] = inner_product(product, splat(1.0)) * p.inverseTemperature;
}
