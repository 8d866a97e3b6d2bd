    // Writes a thread's pairs of terms of the rows as they were loaded, for ROWS_PAIRED 1. The index is written out, because a function of it hides from the
    // browser's compiler that it is in range.
    // @repeat h ROW_LOADS
    rows[row_at + $hu * (THREADS / PAIRS)] = vec4f(a$h_0, a$h_1);
    rows[row_at + $hu * (THREADS / PAIRS) + ROWS] = vec4f(a$h_2, a$h_3);
    // @end
