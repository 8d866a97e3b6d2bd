  // Column and row of a thread.
  let x = lane % ACROSS;
  let y = lane / ACROSS;
