    // Adds the products of a staged step to the sums of a thread at x, y. TURN_ROWS and TURN_COLUMNS: 8 for an operand that
    // is turned, else 1. The remainders by DOWN and ACROSS change nothing, but prove to the browser's compiler that the
    // index is in range; otherwise it clamps the index of each load, which costs a fifth of the time.
    for (var turn = 0u; turn < PAIRS / UNROLL; turn++) {
      // @repeat u UNROLL
      let pair$u = turn * UNROLL + $uu;
      let r$u = pair$u * 2u * ROWS + (y ^ (pair$u % TURN_ROWS)) % DOWN;
      let c$u = pair$u * 2u * COLUMNS + (x ^ (pair$u % TURN_COLUMNS)) % ACROSS;
      // @repeat t 2
      // @repeat i ROW_FOURS
      let a$u_$t_$i = rows[r$u + $tu * ROWS + $iu * DOWN];
      // @end
      // @repeat j COLUMN_FOURS
      let b$u_$t_$j = columns[c$u + $tu * COLUMNS + $ju * ACROSS];
      // @end
      // @repeat i ROW_FOURS
      // @repeat e 4
      // @repeat j COLUMN_FOURS
      acc$i_$e_$j = fma(vec4f(a$u_$t_$i[$e]), b$u_$t_$j, acc$i_$e_$j);
      // @end
      // @end
      // @end
      // @end
      // @end
    }
