// Eight int8 codes of a row, and their values. Bytes are taken from the word without their sign, that is plus 128,
// because GPUs convert a byte to a float in one instruction.
alias EIGHT = vec2u;
const OFFSET = 128.0;
fn byte_values(word: u32, s: vec2f) -> vec4f {
  let bytes = (vec4u(word ^ 0x80808080u) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(255u);
  return fma(vec4f(bytes), vec4f(s.x), vec4f(s.y));
}
fn low_values(word: EIGHT, s: vec2f) -> vec4f { return byte_values(word.x, s); }
fn high_values(word: EIGHT, s: vec2f) -> vec4f { return byte_values(word.y, s); }
