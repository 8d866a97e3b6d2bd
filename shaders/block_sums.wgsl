    // Adds the products of a staged step to the sums of a thread at x, y. All addresses of a thread differ by constants.
    for (var turn = 0u; turn < PAIRS / UNROLL; turn++) {
      // @repeat u UNROLL
      let pair$u = turn * UNROLL + $uu;
      let r$u = pair$u * ROW_STRIDE + y;
      let c$u = pair$u * COLUMN_STRIDE + x;
      // @repeat i ROW_FOURS
      let lower$u_$i = rows[r$u + $iu * DOWN];
      let upper$u_$i = rows[r$u + ROWS + $iu * DOWN];
      // @end
      // @repeat t 2
      // @repeat i ROW_FOURS
      let a$u_$t_$i = four_rows($tu, lower$u_$i, upper$u_$i);
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
