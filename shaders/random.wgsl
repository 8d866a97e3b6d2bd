// Counter-based random numbers: pcg4d (Jarzynski & Olano, JCGT 9(3), 2020). The same key gives the same number on any
// adapter and in any order. src/policy/engine/random.ts is the TypeScript twin.
fn pcg4d(key: vec4u) -> vec4u {
  var v = key * 1664525u + 1013904223u;
  v.x += v.y * v.w; v.y += v.z * v.x; v.z += v.x * v.y; v.w += v.y * v.z;
  v = v ^ (v >> vec4u(16u));
  v.x += v.y * v.w; v.y += v.z * v.x; v.z += v.x * v.y; v.w += v.y * v.z;
  return v;
}
// Uniform in (0, 1), in steps of 2^-23. With one bit more the largest value would round to 1, whose Gumbel variable is
// infinite.
fn unit(bits: u32) -> f32 { return (f32(bits >> 9u) + 0.5) * (1.0 / 8388608.0); }
// A Gumbel variable. The token with the largest logit + gumbel is a sample of the softmax. WGSL's log near 1 is
// accurate only to 2^-21 and could make the inner logarithm zero, so a series replaces it there.
fn gumbel(key: vec4u, token: u32) -> f32 {
  let bits = pcg4d(vec4u(key.x ^ token, key.y + token, key.z, key.w ^ (token * 2654435769u)));
  let u = unit(bits.x);
  let v = 1.0 - u;
  let near_one = v * (1.0 + v * (0.5 + v * (1.0 / 3.0 + v * 0.25)));
  return -log(select(-log(u), near_one, v < 0.02));
}
