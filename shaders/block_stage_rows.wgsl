    // Writes a thread's pairs of terms of the rows. The index is written out, because a function of it hides from the
    // browser's compiler that it is in range.
    // @repeat h ROW_LOADS
    rows[row_at + $hu * (THREADS / PAIRS)] = vec4f(a$h_0.x, a$h_1.x, a$h_2.x, a$h_3.x);
    rows[row_at + $hu * (THREADS / PAIRS) + ROWS] = vec4f(a$h_0.y, a$h_1.y, a$h_2.y, a$h_3.y);
    // @end
