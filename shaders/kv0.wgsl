// K/V rows as floats: row = k (KV heads) | v (KV heads), E vectors of four a head. part: 0 the key, 1 the value.
alias CACHED = vec4f;
fn cached(row: u32, part: u32, head: u32, e: u32) -> vec4f { return cache[((row * 2u + part) * KV + head) * E + e]; }
