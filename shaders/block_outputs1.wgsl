  // Adds the second product of a low-rank adapter (low_rank1.wgsl) to the sums of a thread: for each four of columns,
  // which lie in one part, four rows of B are loaded once for the thread's rows.
  let J = p.rank / 4u;
  // Rows past M repeat the last one; their sums are computed but not stored.
  // @repeat i ROW_FOURS
  // @repeat e 4
  let mid$i_$e = min(m0 + (y + $iu * DOWN) * 4u + $eu, p.M - 1u) * (p.width / 4u);
  // @end
  // @end
  // @repeat j COLUMN_FOURS
  let at$j = low_rank_row(column_of(n0, x + $ju * ACROSS) * 4u);
  let adapted$j = at$j.x != NO_ROW;
  // @repeat i ROW_FOURS
  // @repeat e 4
  var low$i_$e_$j = vec4f();
  // @end
  // @end
  if (adapted$j) {
    for (var f = 0u; f < J; f++) {
      // @repeat c 4
      let b$c = B[(at$j.x + $cu) * J + f];
      // @end
      // @repeat i ROW_FOURS
      // @repeat e 4
      let x$i_$e = mid[mid$i_$e + at$j.y * J + f];
      low$i_$e_$j += vec4f(dot(x$i_$e, b0), dot(x$i_$e, b1), dot(x$i_$e, b2), dot(x$i_$e, b3));
      // @end
      // @end
    }
  }
  // @repeat i ROW_FOURS
  // @repeat e 4
  let value$i_$e_$j = store_adapted(m0 + (y + $iu * DOWN) * 4u + $eu, column_of(n0, x + $ju * ACROSS), acc$i_$e_$j, low$i_$e_$j, adapted$j);
  // @end
  // @end
  // @end
