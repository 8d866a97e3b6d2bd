    // Codes and scales of the next terms, all of which lie before p.N. Every thread adds the same to its first places.
    // @repeat h COLUMN_LOADS
    b$h = codes[next * 2u * G * BITS + codes_at$h];
    s$h = scales[scale_place(next * 2u, 0u, G) + scales_at$h];
    // @end
