    // Codes and scales of the next terms. Rows of the weight past the last one repeat it.
    // @repeat h COLUMN_LOADS
    let later$h = min(next * 2u + term + $hu * (THREADS / COLUMNS), p.N - 1u);
    b$h = codes[later$h * G * BITS + word];
    s$h = scale_word(later$h, column / 8u, G);
    // @end
