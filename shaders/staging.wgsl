// Staging of vectors in workgroup memory by 64 threads, 64 vectors a turn, of which thread `lane` takes one. A last turn
// may hold fewer: its idle threads load the last vector again and store nothing.
fn part(turn: u32, lane: u32, vectors: u32) -> u32 { return min(turn * 64u + lane, vectors - 1u); }
fn in_part(turn: u32, lane: u32, vectors: u32) -> bool { return vectors % 64u == 0u || turn * 64u + lane < vectors; }
// Place of vector i of a slice: of ROWS rows, one row a thread; of 32 rows, four adjacent rows a thread.
fn left_place(i: u32) -> u32 { return i % SW * (ROWS + 1u) + i / SW; }
fn right_place(i: u32) -> u32 { return i % SW * 33u + (i / SW) % 4u * 8u + i / SW / 4u; }
