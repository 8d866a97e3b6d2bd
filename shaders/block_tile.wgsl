// Shared by the products in register blocks: a workgroup of DOWN x ACROSS threads computes TILE_M x TILE_N outputs, STEP
// terms of each sum at a time. A thread keeps 4 ROW_FOURS x 4 COLUMN_FOURS sums in registers, in fours of adjacent rows
// and adjacent columns. Both operands lie in workgroup memory with the terms outermost, so one term of 8 x 8 sums takes
// 4 loads of 16 bytes for 64 multiply-adds.
//
// Each kernel loads the next step into registers before it multiplies the present one. What lies past the last term is
// replaced by zeros; what lies past the last row or column enters only sums that are not stored.
// Constants: DOWN, ACROSS, ROW_FOURS, COLUMN_FOURS, STEP, ROW_LOADS and COLUMN_LOADS (loads of a thread for one step of
// each operand), UNROLL (pairs of terms in one turn of the inner loop).
const THREADS = DOWN * ACROSS;
// In fours of rows, and in fours of columns.
const ROWS = DOWN * ROW_FOURS;
const COLUMNS = ACROSS * COLUMN_FOURS;
const TILE_M = 4u * ROWS;
const TILE_N = 4u * COLUMNS;
const PAIRS = STEP / 2u;
// Fours from one pair of terms to the next. An operand that is stored with its terms innermost has a ROW_PAD or COLUMN_PAD
// of 1, else 0: neighbouring threads hold neighbouring pairs of it, which without the pad are written to the same bank.
const ROW_STRIDE = 2u * ROWS + ROW_PAD;
const COLUMN_STRIDE = 2u * COLUMNS + COLUMN_PAD;
// Four rows of term `t` of a pair, from the two fours that are stored for it. With ROWS_PAIRED 1 each has both terms of two
// rows, as they are loaded; else each has one term of four rows.
fn four_rows(t: u32, lower: vec4f, upper: vec4f) -> vec4f {
  if (ROWS_PAIRED == 1u) { return select(vec4f(lower.xz, upper.xz), vec4f(lower.yw, upper.yw), t == 1u); }
  return select(lower, upper, t == 1u);
}
var<workgroup> rows: array<vec4f, ROW_STRIDE * PAIRS>;
var<workgroup> columns: array<vec4f, COLUMN_STRIDE * PAIRS>;
