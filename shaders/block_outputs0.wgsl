  // @repeat i ROW_FOURS
  // @repeat e 4
  // @repeat j COLUMN_FOURS
  let value$i_$e_$j = store(m0 + (y + $iu * DOWN) * 4u + $eu, column_of(n0, x + $ju * ACROSS), acc$i_$e_$j);
  // @end
  // @end
  // @end
