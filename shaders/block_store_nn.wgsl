// Writes or adds four sums of a row of a product NN in register blocks. k: in fours. With GATED the sums are the gradient
// of SwiGLU's activation, and dinp (M, 2 K), gates and ups, becomes their gradient, as in swiglu_backward.
fn store(m: u32, k: u32, sum: vec4f) {
  let K = p.K / 4u;
  if (m >= p.M || k >= K) { return; }
  if (GATED == 1u) {
    let at = m * 2u * K + k;
    let gate = dinp[at];
    let up = dinp[at + K];
    let s = 1.0 / (1.0 + exp(-gate));
    dinp[at] = sum * up * s * (1.0 + gate * (1.0 - s));
    dinp[at + K] = sum * gate * s;
    return;
  }
  if (ACCUMULATE == 1u) { dinp[m * K + k] += sum; } else { dinp[m * K + k] = sum; }
}
