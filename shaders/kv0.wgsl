// K/V rows of floats: row = k (KV heads) | v (KV heads), E vectors of four per head. part: 0 for the key, 1 for the
// value.
alias CACHED = vec4f;
fn cached(row: u32, part: u32, head: u32, e: u32) -> vec4f { return cache[((row * 2u + part) * KV + head) * E + e]; }
