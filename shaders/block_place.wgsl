  // Column and row of a thread: 32 consecutive threads form a block of 8 x 4, of which neighbours share a column. They
  // read the fewest different addresses, and an NVIDIA GPU serves equal addresses of a 16-byte load together. The remainders
  // by ACROSS and DOWN change nothing, but prove to the browser's compiler that an index of workgroup memory is in range;
  // otherwise it clamps the index of each load, which costs a fifth of the time.
  let x = (lane / 32u % (ACROSS / 8u) * 8u + lane / 2u % 8u) % ACROSS;
  let y = (lane / (ACROSS * 4u) * 4u + lane / 16u % 2u * 2u + lane % 2u) % DOWN;
  // Its sums: four rows e of each four i of rows, and the fours j of columns.
  // @repeat i ROW_FOURS
  // @repeat e 4
  // @repeat j COLUMN_FOURS
  var acc$i_$e_$j = vec4f();
  // @end
  // @end
  // @end
