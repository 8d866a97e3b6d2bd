// Counter-based random numbers: pcg4d (Jarzynski & Olano, JCGT 9(3), 2020). The same key gives the same number on any adapter, in
// any order. TypeScript's twin is src/policy/random.ts.
fn pcg4d(key: vec4u) -> vec4u {
  var v = key * 1664525u + 1013904223u;
  v.x += v.y * v.w; v.y += v.z * v.x; v.z += v.x * v.y; v.w += v.y * v.z;
  v = v ^ (v >> vec4u(16u));
  v.x += v.y * v.w; v.y += v.z * v.x; v.z += v.x * v.y; v.w += v.y * v.z;
  return v;
}
// In (0, 1), on a grid of 2^-24.
fn unit(bits: u32) -> f32 { return (f32(bits >> 8u) + 0.5) * (1.0 / 16777216.0); }
// A Gumbel variable: the largest of logit + gumbel over tokens is a sample of their softmax.
fn gumbel(key: vec4u, token: u32) -> f32 {
  let bits = pcg4d(vec4u(key.x ^ token, key.y + token, key.z, key.w ^ (token * 2654435769u)));
  return -log(-log(unit(bits.x)));
}
