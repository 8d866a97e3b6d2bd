  // @repeat i ROW_FOURS
  // @repeat e 4
  // @repeat j COLUMN_FOURS
  store(m0 + (y + $iu * DOWN) * 4u + $eu, n0 / 4u + x + $ju * ACROSS, acc$i_$e_$j);
  // @end
  // @end
  // @end
