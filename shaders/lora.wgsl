// Scalars of the low-rank kernels, and the layout of B. B holds the matrices of one operand's adapted parts (q, k, v;
// or gate, up) one below another: N rows of `rank` columns. Row n belongs to part 0 if n < end0, to part 1 if n < end1,
// else to part 2. It adds to column n + shift of the operand's output (T, stride), and reads the columns [part rank,
// (part + 1) rank) of mid (T, width).
struct Params { T: u32, N: u32, rank: u32, width: u32, stride: u32, end0: u32, end1: u32, shift0: u32, shift1: u32, shift2: u32, scale: f32, chunk: u32 }

fn part_of(n: u32) -> u32 {
  return u32(n >= p.end0) + u32(n >= p.end1);
}

fn column_of(n: u32) -> u32 {
  return n + select(select(p.shift2, p.shift1, n < p.end1), p.shift0, n < p.end0);
}
