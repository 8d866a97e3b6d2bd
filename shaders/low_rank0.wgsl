// Scalars of a product NT without a low-rank adapter.
struct Params { M: u32, N: u32, K: u32 }
