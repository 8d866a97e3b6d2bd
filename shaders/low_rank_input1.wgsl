// A product NN that adds a low-rank adapter's gradient of the same input as further terms of its sums:
// dinp[m, k] += sum_r dmid[m, r] * A[r, k].
// Shapes: dmid (M, width), A (width, K); the width is a multiple of four. Constant: LOW_RANK, 1 with an adapter, else 0.
struct Params { M: u32, N: u32, K: u32, width: u32 }
@group(0) @binding(5) var<storage, read> dmid: array<vec4f>;
@group(0) @binding(6) var<storage, read> A: array<vec4f>;
