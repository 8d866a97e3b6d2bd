// K/V rows of bytes: per head D signed bytes, four in a u32, then the bits of their f32 scale. part: 0 for the key, 1
// for the value.
alias CACHED = u32;
fn cached(row: u32, part: u32, head: u32, e: u32) -> vec4f {
  let at = ((row * 2u + part) * KV + head) * (E + 1u);
  let word = bitcast<vec4i>(vec4u(cache[at + e]));
  return vec4f((word << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u)) * bitcast<f32>(cache[at + E]);
}
