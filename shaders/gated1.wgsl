// The gate and up product of SwiGLU that writes its activation, too: activated[m, i] = silu(out[m, i]) * out[m, I + i] with
// I = N / 2, a multiple of four. A thread has the sums of both, because half of a tile's columns are gates and half are
// ups. It needs COLUMN_FOURS 2, and HAS_RESIDUAL 0, because `activated` takes the binding of the residual.
@group(0) @binding(5) var<storage, read_write> activated: array<vec4f>;
var<private> residual: array<vec4f, 1>;

// i: in fours.
fn activate(m: u32, i: u32, gate: vec4f, up: vec4f) {
  if (m < p.M) { activated[m * (p.N / 8u) + i] = gate / (1.0 + exp(-gate)) * up; }
}
