struct Params { M: u32, N: u32, K: u32 }
