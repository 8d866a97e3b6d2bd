// K/V rows as bytes: each head E words of four signed bytes, then the bits of their scale. part: 0 the key, 1 the value.
alias CACHED = u32;
fn cached(row: u32, part: u32, head: u32, e: u32) -> vec4f {
  let at = ((row * 2u + part) * KV + head) * (E + 1u);
  let word = bitcast<vec4i>(vec4u(cache[at + e]));
  return vec4f((word << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u)) * bitcast<f32>(cache[at + E]);
}
