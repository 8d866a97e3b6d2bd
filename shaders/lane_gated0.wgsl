@group(0) @binding(5) var<storage, read> residual: array<f32>;
const SUMS = ROWS * COLUMNS;

// Column c of a thread whose first is `first`, and the number of its sum of row i.
fn column_of(first: u32, c: u32) -> u32 { return min(first + c, p.N - 1u); }
fn number_of(i: u32, c: u32) -> u32 { return i * COLUMNS + c; }
