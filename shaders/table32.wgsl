// Element `c` of row `row` of the vocabulary table. The constant BITS selects the file: table32 for f32, table8 and
// table4 for packed tables. The kernel declares `table: array<TABLE>`, and `scalesAt` in its Params.
alias TABLE = ELEM;
fn table_at(row: u32, c: u32, C: u32) -> ELEM { return table[row * C + c]; }
