fn store_few(m: u32, n: u32, sum: vec4f) -> vec4f { return store(m, n, sum); }
