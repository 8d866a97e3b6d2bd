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
var<workgroup> rows: array<vec4f, ROWS * STEP>;
var<workgroup> columns: array<vec4f, COLUMNS * STEP>;

// Position of a four in a pair of terms. An operand that is stored with its terms innermost is turned by threads of
// which neighbours hold neighbouring pairs; without the exclusive or they would write to the same bank.
fn turned(four: u32, pair: u32) -> u32 { return four ^ (pair % 8u); }

// Writes two terms of four adjacent rows, or of four adjacent columns.
fn stage_rows(pair: u32, four: u32, a: vec2f, b: vec2f, c: vec2f, d: vec2f) {
  let at = pair * 2u * ROWS + turned(four, pair);
  rows[at] = vec4f(a.x, b.x, c.x, d.x);
  rows[at + ROWS] = vec4f(a.y, b.y, c.y, d.y);
}
fn stage_columns(pair: u32, four: u32, a: vec2f, b: vec2f, c: vec2f, d: vec2f) {
  let at = pair * 2u * COLUMNS + turned(four, pair);
  columns[at] = vec4f(a.x, b.x, c.x, d.x);
  columns[at + COLUMNS] = vec4f(a.y, b.y, c.y, d.y);
}
