// Eight int4 codes of a row, and their values. Bytes are taken from the word, because GPUs convert a byte to a float in
// one instruction. A symmetric code is stored plus 8.
alias EIGHT = u32;
const OFFSET = 8.0 - 8.0 * f32(MINIMUM);
fn low_values(word: EIGHT, s: vec2f) -> vec4f {
  let even = word & 0x0f0f0f0fu;
  let odd = (word >> 4u) & 0x0f0f0f0fu;
  return fma(vec4f(vec4u(even, odd, even >> 8u, odd >> 8u) & vec4u(255u)), vec4f(s.x), vec4f(s.y));
}
fn high_values(word: EIGHT, s: vec2f) -> vec4f { return low_values(word >> 16u, s); }
