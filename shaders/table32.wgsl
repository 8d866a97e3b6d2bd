// The vocabulary table, by the constant BITS (32: f32, 8 and 4: packed): row `row`, element `c` of C. The kernel declares `table: array<TABLE>` and `scalesAt` in its Params.
alias TABLE = ELEM;
fn table_at(row: u32, c: u32, C: u32) -> ELEM { return table[row * C + c]; }
