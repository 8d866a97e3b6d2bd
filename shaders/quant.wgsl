// Packed weights (src/policy/weights/quantize.ts) of a table of N rows with K values: codes (N, G * BITS) and scales in
// u32, with G = ceil(K / 32) groups per row. A value is code * scale + minimum. Symmetric codes have the minimum zero and
// scales (N, ceil(G / 2)); their codes past K are zero, so a product may multiply them by any finite value. With
// MINIMUM 1 scales are (N, G), a scale and a minimum each.
// The kernel declares the storage buffer `scales`. Constants: BITS, 4 or 8; MINIMUM, 0 or 1.
fn groups_of(K: u32) -> u32 { return (K + 31u) / 32u; }

// Four int4 codes of a u32, from bit `shift`.
fn nibbles(word: u32, shift: u32) -> vec4f {
  return vec4f((vec4u(word) >> (vec4u(0u, 4u, 8u, 12u) + shift)) & vec4u(15u)) - f32(8u - 8u * MINIMUM);
}

// Four int8 codes of a u32.
fn signed_bytes(word: u32) -> vec4f {
  return vec4f(vec4i(vec4u(word) << vec4u(24u, 16u, 8u, 0u)) >> vec4u(24u));
}

// Word with the scale of group g of row n, and scale and minimum from that word: apart, so that a kernel may load the
// word long before it uses it. G: groups per row.
fn scale_word(n: u32, g: u32, G: u32) -> u32 { return scales[scale_place(n, g, G)]; }
fn scale_place(n: u32, g: u32, G: u32) -> u32 {
  if (MINIMUM == 1u) { return n * G + g; }
  return n * ((G + 1u) / 2u) + g / 2u;
}
fn scale_from(word: u32, g: u32) -> vec2f {
  if (MINIMUM == 1u) { return unpack2x16float(word); }
  return vec2f(unpack2x16float(word)[g & 1u], 0.0);
}
fn scale_of(n: u32, g: u32, G: u32) -> vec2f { return scale_from(scale_word(n, g, G), g); }

// Values of four codes. Without a minimum nothing is added, so that -0 stays -0.
fn values_of(codes: vec4f, s: vec2f) -> vec4f {
  if (MINIMUM == 1u) { return codes * s.x + s.y; }
  return codes * s.x;
}
