  // @repeat r EACH
  let i$r = lane + $ru * LANES;
  let own_m$r = m0 + i$r / COLUMNS;
  let own_n$r = first + i$r % COLUMNS;
  if (i$r < SUMS && own_m$r < p.M && own_n$r < p.N) { out[own_m$r * p.N + own_n$r] = output_of(own_m$r, own_n$r, lane_sum($ru, thread)); }
  // @end
